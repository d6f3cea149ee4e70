import { diff } from 'node:util'
import type { DiffLine } from '#contract/pixel-history.ts'

/** Beyond so many lines that may differ, a minimal difference costs too much: all old ones, then all new ones. */
const MAX_COMPARED = 300
/** Lines around a change. */
const CONTEXT = 2
const MAX_SHOWN = 400
const MAX_LINE_LENGTH = 1_000

/** What became of a text, line by line, with the unchanged parts left out. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, young] = [toLines(before), toLines(after)]
  const shorter = Math.min(old.length, young.length)
  let head = 0
  while (head < shorter && old[head] === young[head]) head++
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === young.at(-1 - tail)) tail++
  const lines = [
    ...same(old.slice(0, head)),
    ...compare(old.slice(head, old.length - tail), young.slice(head, young.length - tail)),
    ...same(old.slice(old.length - tail)),
  ]
  return cut(leaveOutSame(lines))
}

type Line = Exclude<DiffLine, { kind: 'gap' }>

function toLines(text: string): string[] {
  return text === '' ? [] : text.split(/\r?\n/)
}

function same(lines: readonly string[]): Line[] {
  return lines.map((text) => ({ kind: 'same', text }))
}

function compare(old: readonly string[], young: readonly string[]): Line[] {
  // With nothing on one side there is nothing to compare, and Node's own function fails with nothing on both.
  if (old.length === 0 || young.length === 0 || old.length + young.length > MAX_COMPARED)
    return [
      ...old.map((text): Line => ({ kind: 'removed', text })),
      ...young.map((text): Line => ({ kind: 'added', text })),
    ]
  return diff(old, young).map(([operation, text]) => ({
    kind: operation === 0 ? 'same' : operation === 1 ? 'removed' : 'added',
    text,
  }))
}

function leaveOutSame(lines: readonly Line[]): DiffLine[] {
  const isNear = new Set<number>()
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') for (let near = index - CONTEXT; near <= index + CONTEXT; near++) isNear.add(near)
  const shown: DiffLine[] = []
  for (const [index, line] of lines.entries()) {
    const last = shown.at(-1)
    if (isNear.has(index)) shown.push({ ...line, text: line.text.slice(0, MAX_LINE_LENGTH) })
    else if (last?.kind === 'gap') last.lines++
    else shown.push({ kind: 'gap', lines: 1 })
  }
  return shown
}

function cut(lines: DiffLine[]): DiffLine[] {
  if (lines.length <= MAX_SHOWN) return lines
  return [...lines.slice(0, MAX_SHOWN), { kind: 'gap', lines: lines.length - MAX_SHOWN }]
}
