import type { PixelDelivery } from '#contract/pixel.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { TEST_MAX_COPIES, type TestStep } from '#contract/tag-test.ts'

/** Something that the page told of, of which the server tells the vendor too. */
export interface DueCopy {
  event: ServerEventName
  /** The same as the browser's own copy has. */
  eventId: string | undefined
  /** When the page told of it. */
  at: number
}

/**
 * What the server has to tell a vendor after these steps, in their order: as in a visit, a page that was seen where the
 * server alone tells of it, and each conversion. A page can report what it likes, and so only the first few count.
 */
export function listCopies(delivery: PixelDelivery, steps: readonly TestStep[]): DueCopy[] {
  if (delivery === 'browser') return []
  let isAllowed = false
  const due: DueCopy[] = []
  for (const { kind, ok, conversion, id, at } of steps) {
    if (kind === 'chosen') {
      if (ok === true && !isAllowed && delivery === 'server')
        due.push({ event: 'page_view', eventId: undefined, at })
      isAllowed = ok === true
    }
    if (kind === 'conversion' && isAllowed && conversion !== undefined)
      due.push({ event: conversion, eventId: id, at })
  }
  return due.slice(0, TEST_MAX_COPIES)
}

export function countCopies(steps: readonly TestStep[]): number {
  return steps.filter(({ kind }) => kind === 'copy').length
}
