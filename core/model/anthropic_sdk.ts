// The client without its resources: requests are posted by path, and the bundler leaves the rest out.
export { BaseAnthropic } from "@anthropic-ai/sdk/client";
