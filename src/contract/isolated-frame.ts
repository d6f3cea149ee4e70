import type { Conversion } from './conversions.ts'
import type { ConversionCall, ManifestTag, TagStep } from './tag-manifest.ts'
import type { StoppedRequest, TagReport, TagResult } from './tag-report.ts'

/** Why the page removed the frame of an isolated tag: what it did to the page, and no fault of being isolated. */
export const FRAME_REMOVALS = {
  document: 'isolated_document',
  flood: 'isolated_flood',
  nested: 'isolated_nested',
  focus: 'isolated_focus',
} as const

const TEXTS: Readonly<Record<string, string>> = {
  [FRAME_REMOVALS.document]: 'a tag isolada tentou trocar o seu próprio documento e foi retirada',
  [FRAME_REMOVALS.flood]: 'a tag isolada mandou mensagens demais à página e foi retirada',
  [FRAME_REMOVALS.nested]:
    'um quadro aberto pela tag isolada mandou mensagens à página, e a tag foi retirada',
  [FRAME_REMOVALS.focus]: 'a tag isolada tentou tomar o teclado da página e foi retirada',
}

/** What a tag's report gives as its error, in words where it is one of ours. */
export function describeRemoval(error: string): string | undefined {
  return TEXTS[error]
}

/** Under this path lie the documents in which isolated tags run, each in a frame of an opaque origin. */
export const FRAMES_PATH = '/isolado/'

/** What follows is the path and the campaign of the page, which a vendor reads from its address: `location` cannot be replaced. */
export function framePath(hash: string): string {
  return `${FRAMES_PATH}${hash}/`
}

/** In both storages of the page: what an isolated tag keeps. */
export function jarKey(pixelId: string): string {
  return `portico_room_${pixelId}`
}

/** As in the page, but that code is text: the document holds all of it. */
export type FrameStep =
  | Exclude<TagStep, { kind: 'own' }>
  | { kind: 'own'; body: string; attributes: Record<string, string> }

/** What the room's document is made for. */
export interface FrameTag extends Omit<ManifestTag, 'steps' | 'room' | 'leaves'> {
  steps: FrameStep[]
}

/** Element of the document that holds it, as JSON. */
export const FRAME_TAG_ID = 'tag'

/** What a tag keeps over visits, and in this tab; the page stores both unread. */
export interface Jar {
  local: string
  session: string
}

/** Of each of the two; a browser's own limit for cookies of one site is about as large. */
export const JAR_MAX_LENGTH = 32_768

/** From the page to the room. The first one starts the tag, and brings the port on which the room answers. */
export type PageMessage =
  | {
      portico: 'start'
      jar: Jar
      referrer: string
      title: string
      width: number
      height: number
      /** Made before the tag runs: how its vendor is told that this is a test. */
      calls: ConversionCall[]
    }
  | { portico: 'conversion'; name: Conversion; id: string }

/** What a room saw of its tag. */
export interface FrameReport extends Pick<TagReport, 'hosts' | 'sees_all'> {
  result: TagResult
  stopped: StoppedRequest[]
  /** False while more may come. */
  isFinal: boolean
}

/** As JSON text, which is how a room writes to the page: a jar's own JSON grows by escapes. Text of any length is read at once. */
export const FRAME_MESSAGE_MAX_LENGTH = 200_000

/** As JSON. A visit's report is refused as a whole when it is too large, so that one room must not be able to make it so. */
export const FRAME_REPORT_MAX_LENGTH = 6_000

/** From the room to the page, as JSON text through the port that came with `start`. What the tag has it say can only ever be of itself. */
export type FrameMessage =
  | { portico: 'report'; report: FrameReport }
  /** A conversion was passed on, and the vendor's function was there to be called. */
  | { portico: 'told'; id: string }
  /** The same without such a function: whoever listens heard of it. */
  | { portico: 'heard'; id: string }
  | { portico: 'jar'; jar: Jar }
