import type { PluginModule } from "../../core/plugin_api/mod.ts";
import { applyPatch } from "./apply_patch.ts";
import { edit } from "./edit.ts";
import { list } from "./list.ts";
import { multiEdit } from "./multi_edit.ts";
import { notebookEdit } from "./notebook_edit.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

/** The file tools. They need no permission but `read` and `write` of the roots in their context. */
const plugin: PluginModule = {
  tools: {
    Read: read,
    Write: write,
    Edit: edit,
    MultiEdit: multiEdit,
    List: list,
    NotebookEdit: notebookEdit,
    apply_patch: applyPatch,
  },
};
export default plugin;
