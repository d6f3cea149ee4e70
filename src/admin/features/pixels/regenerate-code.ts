import type { PixelType } from '#contract/pixel.ts'
import { CUSTOM_CODE_PLACEHOLDER, generateSnippet } from '#contract/pixel-snippet.ts'

/** What the code is made from. */
export interface CodeSource {
  type: PixelType
  pixelId: string
}

/** The code that a type and an ID give: empty without an ID. */
export function generateCode({ type, pixelId }: CodeSource): string {
  return pixelId.trim() === '' ? '' : generateSnippet(type, pixelId)
}

/** True when somebody wrote in it: it is not what generation gave for the source it was made from. */
export function isHandEdited(code: string, source: CodeSource): boolean {
  const written = normalize(code)
  if (written === '' || written === CUSTOM_CODE_PLACEHOLDER) return false
  return written !== normalize(generateCode(source))
}

/** Browsers hand a textarea's lines back with LF, whatever they were. */
function normalize(code: string): string {
  return code.replaceAll('\r\n', '\n').trim()
}
