import assert from "node:assert/strict";
import { SETTING_NAMES } from "../../core/config/mod.ts";
import type { SettingName } from "../../core/config/mod.ts";

/** The test that shows each setting's effect: its file beside this one and how its name begins. */
const COVERED: Record<SettingName, [file: string, claim: string]> = {
  api_key: ["setting_effects_keys", "api_key and api_key_file give the key"],
  api_key_file: ["setting_effects_keys", "a key file is read again"],
  api_key_helper: ["setting_effects_keys", "api_key_helper runs once"],
  api_base_url: ["setting_effects_model", "api_base_url, api_model and api_type decide"],
  api_model: ["setting_effects_model", "api_base_url, api_model and api_type decide"],
  api_type: ["setting_effects_model", "api_base_url, api_model and api_type decide"],
  api_replay_file: ["setting_effects_model", "api_type replay answers from api_replay_file"],
  context_window: ["setting_effects_model", "max_output_tokens, context_window and api_max_tokens"],
  max_output_tokens: ["setting_effects_model", "max_output_tokens, context_window and api_max_tokens"],
  api_max_tokens: ["setting_effects_model", "max_output_tokens, context_window and api_max_tokens"],
  effort: ["setting_effects_model", "effort is sent"],
  fallback_api_enabled: ["setting_effects_model", "each fallback_ setting has its part"],
  fallback_api_key: ["setting_effects_model", "each fallback_ setting has its part"],
  fallback_api_key_file: ["setting_effects_model", "each fallback_ setting has its part"],
  fallback_api_base_url: ["setting_effects_model", "each fallback_ setting has its part"],
  fallback_api_model: ["setting_effects_model", "each fallback_ setting has its part"],
  fallback_api_type: ["setting_effects_model", "each fallback_ setting has its part"],
  api_stream_idle_timeout_seconds: ["setting_effects_model", "api_stream_idle_timeout_seconds ends"],
  api_max_attempts: ["setting_effects_model", "api_stream_idle_timeout_seconds ends"],
  ca_file: ["setting_effects_network", "ca_file, NODE_EXTRA_CA_CERTS and SSL_CERT_FILE"],
  max_parent_turns: ["setting_effects_model", "max_parent_turns limits"],
  max_consecutive_denials: ["setting_effects_tools", "max_consecutive_denials refused calls"],
  shell_timeout_seconds: ["shell", "shell_timeout_seconds limits a command"],
  max_tool_result_chars: ["setting_effects_tools", "max_tool_result_chars bounds"],
  rewind: ["rewind", "rewind, rewind_max_file_bytes and rewind_max_store_bytes decide"],
  rewind_max_file_bytes: ["rewind", "rewind, rewind_max_file_bytes and rewind_max_store_bytes decide"],
  rewind_max_store_bytes: ["rewind", "rewind, rewind_max_file_bytes and rewind_max_store_bytes decide"],
  permissions: ["setting_effects_tools", "permissions: allow, ask, deny, defaultMode"],
  lockdown: ["lockdown", "the setting locks every run"],
  sandbox: ["sandbox", "sandbox: mode auto writes where allow_write says"],
  session_memory_turn_interval: ["session_memory", "session_memory_turn_interval prompts"],
  session_memory_model: ["session_memory", "session_memory_model is asked"],
  retention_days: ["storage", "retention_days, retention_archive, retention_max_sessions"],
  retention_max_sessions: ["storage", "retention_days, retention_archive, retention_max_sessions"],
  retention_max_bytes: ["storage", "retention_days, retention_archive, retention_max_sessions"],
  retention_archive: ["storage", "retention_days, retention_archive, retention_max_sessions"],
  hooks: ["hooks", "every event is called with its fields"],
  disable_all_hooks: ["hooks", "hooks: disable_all_hooks, --bare"],
  child_env_allow: ["setting_effects_tools", "child_env_allow names what a command gets"],
  disabled_tools: ["setting_effects_tools", "disabled_tools and disabled_plugins are neither"],
  disabled_plugins: ["setting_effects_tools", "disabled_tools and disabled_plugins are neither"],
  plugins: ["plugin_services", "a pack's settings are checked against its schema"],
  plugin_limits: ["plugin_list", "plugin_limits bounds what a pack may use"],
  plugin_model_tokens: ["plugin_services", "what a pack asks of the model is within plugin_model_tokens"],
  agent_max_depth: ["agents", "agent_max_depth, agent_max_turns, agent_max_tokens"],
  agent_max_turns: ["agents", "agent_max_depth, agent_max_turns, agent_max_tokens"],
  agent_max_tokens: ["agents", "agent_max_depth, agent_max_turns, agent_max_tokens"],
  agent_max_budget_usd: ["agents", "agent_max_depth, agent_max_turns, agent_max_tokens"],
  web_search_enabled: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_search_provider: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_search_base_url: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_search_custom: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_search_max_results: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_search_timeout_seconds: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_fetch_enabled: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_fetch_require_search_result: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_fetch_max_chars: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_fetch_max_bytes: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_fetch_timeout_seconds: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_fetch_user_agent: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  web_allow_private_hosts: ["setting_effects_web", "web_search_ and web_fetch_ settings"],
  project_doc_filenames: ["setting_effects_documents", "project_doc_filenames and project_root_markers"],
  project_doc_max_bytes: ["setting_effects_documents", "project_doc_max_bytes and a tenth"],
  project_root_markers: ["setting_effects_documents", "project_doc_filenames and project_root_markers"],
  lsp_servers: ["diagnostics", "lsp_servers: an edit's result names"],
  lsp_timeout_ms: ["diagnostics", "lsp_timeout_ms bounds the wait"],
  model_images: [
    "setting_effects_reading",
    "model_images, model_pdf, read_image_max_bytes and read_pdf_max_pages decide",
  ],
  model_pdf: [
    "setting_effects_reading",
    "model_images, model_pdf, read_image_max_bytes and read_pdf_max_pages decide",
  ],
  apply_patch: [
    "setting_effects_reading",
    "model_images, model_pdf, read_image_max_bytes and read_pdf_max_pages decide",
  ],
  read_image_max_bytes: [
    "setting_effects_reading",
    "model_images, model_pdf, read_image_max_bytes and read_pdf_max_pages decide",
  ],
  read_pdf_max_pages: [
    "setting_effects_reading",
    "model_images, model_pdf, read_image_max_bytes and read_pdf_max_pages decide",
  ],
  task_reminder_steps: [
    "setting_effects_reading",
    "model_images, model_pdf, read_image_max_bytes and read_pdf_max_pages decide",
  ],
  max_tasks: [
    "setting_effects_reading",
    "model_images, model_pdf, read_image_max_bytes and read_pdf_max_pages decide",
  ],
};

Deno.test("every setting of the schema has a test that shows its effect through the product", async () => {
  assert.deepEqual(Object.keys(COVERED).sort(), [...SETTING_NAMES].sort());
  for (const [name, [file, claim]] of Object.entries(COVERED)) {
    const source = await Deno.readTextFile(new URL(`./${file}_test.ts`, import.meta.url));
    assert.ok(source.includes(`"${claim}`), `${name}: ${file}_test.ts has no test "${claim}…"`);
    assert.ok(source.includes(name), `${name}: ${file}_test.ts does not use it`);
  }
});
