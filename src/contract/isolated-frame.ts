import type { Conversion } from './conversions.ts'
import type { ConversionCall, ManifestTag, TagStep } from './tag-manifest.ts'
import type { StoppedRequest, TagReport, TagResult } from './tag-report.ts'

/** Why the page removed an isolated frame: for its behaviour, not because it is isolated. */
export const FRAME_REMOVALS = {
  document: 'isolated_document',
  flood: 'isolated_flood',
  nested: 'isolated_nested',
  focus: 'isolated_focus',
} as const

const TEXTS: Readonly<Record<string, string>> = {
  [FRAME_REMOVALS.document]: 'a tag isolada tentou abrir outra página dentro dela e foi removida',
  [FRAME_REMOVALS.flood]: 'a tag isolada enviou mensagens demais à página e foi removida',
  [FRAME_REMOVALS.nested]:
    'uma janela aberta pela tag isolada enviou mensagens à página, e a tag foi removida',
  [FRAME_REMOVALS.focus]: 'a tag isolada tentou controlar o teclado da página e foi removida',
}

/** The text for a tag's error, if it is one of ours. */
export function describeRemoval(error: string): string | undefined {
  return TEXTS[error]
}

/** Path of the documents of isolated tags, each in a frame with an opaque origin. */
export const FRAMES_PATH = '/isolado/'

/** Followed by path and campaign of the page, which vendors read from `location`, because that cannot be replaced. */
export function framePath(hash: string): string {
  return `${FRAMES_PATH}${hash}/`
}

/** Storage key in both storages of the page for an isolated tag's data. */
export function jarKey(pixelId: string): string {
  return `portico_room_${pixelId}`
}

/** As in the page, but code is text: the document contains all of it. */
export type FrameStep =
  | Exclude<TagStep, { kind: 'own' }>
  | { kind: 'own'; body: string; attributes: Record<string, string> }

/** What the frame's document is made for. */
export interface FrameTag extends Omit<ManifestTag, 'steps' | 'room' | 'leaves'> {
  steps: FrameStep[]
}

/** Id of the element with its JSON. */
export const FRAME_TAG_ID = 'tag'

/** What a tag keeps across visits, and in this tab; the page stores both unread. */
export interface Jar {
  local: string
  session: string
}

/** For each of the two; about a browser's own limit for cookies of one site. */
export const JAR_MAX_LENGTH = 32_768

/** From the page to the frame. The first one starts the tag and brings the port for the frame's answers. */
export type PageMessage =
  | {
      portico: 'start'
      jar: Jar
      referrer: string
      title: string
      width: number
      height: number
      /** Made before the tag runs: they switch the vendor's test mode on. */
      calls: ConversionCall[]
    }
  | { portico: 'conversion'; name: Conversion; id: string }

/** What a frame observed of its tag. */
export interface FrameReport extends Pick<TagReport, 'hosts' | 'sees_all'> {
  result: TagResult
  stopped: StoppedRequest[]
  /** False while more may come. */
  isFinal: boolean
}

/** As JSON text, which is how a frame writes to the page: nested JSON grows by escapes. Longer text is not read. */
export const FRAME_MESSAGE_MAX_LENGTH = 200_000

/** As JSON. A visit's report is refused as a whole if it is too large, so one frame must not be able to cause that. */
export const FRAME_REPORT_MAX_LENGTH = 6_000

/** From the frame to the page, as JSON text through the port of `start`. A tag can only speak for itself. */
export type FrameMessage =
  | { portico: 'report'; report: FrameReport }
  /** A conversion was passed on, and the vendor's function existed. */
  | { portico: 'told'; id: string }
  /** The same without such a function: only listeners got it. */
  | { portico: 'heard'; id: string }
  | { portico: 'jar'; jar: Jar }
