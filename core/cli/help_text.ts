/** The part of `--help` about variables. */
export const VARIABLES_HELP =
  `Settings come from <AppRoot>/config/settings.json (see: lumina config docs), then --settings, the project's
.Lumina/CONFIG/defaults.json, variables, flags. The variables used most:
  LUMINA_API_KEY       the provider's key (also LLM_API_KEY, ANTHROPIC_API_KEY)
  LUMINA_API_MODEL     the model's name (also LLM_DEFAULT_MODEL, ANTHROPIC_MODEL)
  LUMINA_API_BASE_URL  the provider's address (also LLM_BASE_URL, ANTHROPIC_BASE_URL)
  LUMINA_API_TYPE      auto, anthropic or openai_compatible (also LLM_API_TYPE)
  LUMINA_APP_ROOT      where Lumina keeps settings and sessions; default ~/.lumina
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE  for model traffic`;

/** The part of `--help` about slash commands. */
export const COMMANDS_HELP =
  `A prompt that begins with /name is a slash command: lumina -p /help lists them, lumina help commands says how to
write your own.`;

/** The part of `--help` about exit codes. */
export const EXIT_HELP = `Exit codes:
  0 done   1 the run failed   2 usage or settings   3 blocked by a permission   4 not found
  5 conflict   6 protocol violation   130 interrupted   143 terminated`;
