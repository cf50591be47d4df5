import { encodeBase64 } from "./encode_base64.ts";
import { readChecked } from "../../core/files/mod.ts";
import type { ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { imageInfo } from "./image_info.ts";
import type { JudgedPath } from "./judged_path.ts";
import { ToolFailure } from "./tool_failure.ts";

const DEFAULT_BYTES = 3_750_000;
/** Providers refuse an image with a longer side. */
const MOST_PIXELS = 8_000;

/** Shows the model an image file of `size` bytes; where it cannot see, says what the image is and how to go on. */
export async function readImage(
  context: ToolContext,
  { path, shown }: JudgedPath,
  kind: string,
  size: number,
): Promise<ToolOutcome> {
  const most = limit(context, "image_max_bytes", DEFAULT_BYTES);
  const sees = context.config["images"] === true;
  if (sees && size > most) {
    throw new ToolFailure(
      `Cannot show "${shown}": the ${kind} has ${size} bytes and at most ${most} are shown; make a smaller copy of it, or raise read_image_max_bytes`,
    );
  }
  const { bytes, sha256 } = await readChecked(path, Math.max(size, most));
  const info = imageInfo(bytes);
  if (info === null) throw new ToolFailure(`Cannot read "${shown}": it begins like a ${kind} and is none`);
  const { media_type, width, height } = info;
  const pixels = width === undefined ? "" : `, ${width}×${height} pixels`;
  const about = `${kind}${pixels}, ${bytes.length} bytes`;
  if (!sees) {
    throw new ToolFailure(
      `Cannot show "${shown}" (${about}): this model takes no images. Go on with what its name, its neighbours and a ` +
        "program tell of it, or ask the person to describe it; model_images says whether the model can see",
    );
  }
  if (Math.max(width ?? 0, height ?? 0) > MOST_PIXELS) {
    throw new ToolFailure(
      `Cannot show "${shown}" (${about}): at most ${MOST_PIXELS} pixels a side are shown; make a smaller copy`,
    );
  }
  const of = width === undefined || height === undefined ? {} : { width, height };
  return {
    content: `${shown}: ${about}`,
    media: [{ type: "image", media_type, data: encodeBase64(bytes), name: shown, ...of }],
    seen: [{ path, sha256 }],
    data: { file_path: path, media_type, bytes: bytes.length, ...of },
  };
}

/** A number that the host gives with the call. */
export function limit({ config }: ToolContext, name: string, fallback: number): number {
  const value = config[name];
  return typeof value === "number" ? value : fallback;
}
