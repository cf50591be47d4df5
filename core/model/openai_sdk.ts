// The client alone: requests are posted by path, and the bundler leaves the rest out.
export { OpenAI } from "openai/client";
