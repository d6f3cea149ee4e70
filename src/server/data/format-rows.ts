import { disarmFormulas } from '../http/csv-line.ts'
import type { MediaType } from './media-type.ts'
import { printedValue } from './output-value.ts'
import type { Row } from './resource.ts'
import type { RowShape } from './row-shape.ts'

/** Writes rows page by page: what opens the answer, what stands between pages, what closes it. */
export interface RowFormat {
  open: string
  separator: string
  close: string
  page(rows: Row[]): string
}

/** A list. A single object is written by `formatObject`. */
export function listFormat(shape: RowShape, media: MediaType, exact: boolean): RowFormat {
  if (media.format === 'csv') {
    const header = shape.outputs.map((output) => csvField(output.name)).join(',')
    return { open: `${header}\n`, separator: '\n', close: '', page: (rows) => csvLines(shape, rows) }
  }
  const strip = media.stripNulls
  return {
    open: '[',
    separator: ',',
    close: ']',
    page: (rows) => JSON.stringify(stripped(shape.toWire(rows, exact), strip)).slice(1, -1),
  }
}

export function formatList(shape: RowShape, media: MediaType, rows: Row[], exact: boolean): string {
  if (media.format === 'array' && !media.stripNulls) return JSON.stringify(shape.toWire(rows, exact))
  const format = listFormat(shape, media, exact)
  return format.open + format.page(rows) + format.close
}

export function formatObject(shape: RowShape, media: MediaType, row: Row): string {
  return JSON.stringify(stripped(shape.toWire([row], false), media.stripNulls)[0])
}

function stripped(rows: Row[], strip: boolean): Row[] {
  if (!strip) return rows
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
}

function csvLines(shape: RowShape, rows: Row[]): string {
  return rows
    .map((row) => shape.outputs.map((output) => csvField(printedValue(output, row))).join(','))
    .join('\n')
}

/** Quotes as RFC 4180 wants them; nothing at all where there is no value; no cell that a spreadsheet would run. */
function csvField(value: string | null): string {
  if (value === null) return ''
  const text = disarmFormulas(value)
  return text === '' || /[",\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
