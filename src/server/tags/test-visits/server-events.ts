import { randomUUID } from 'node:crypto'
import type { PixelDelivery } from '#contract/pixel.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { TEST_MAX_COPIES, type TestCopy, type TestStep } from '#contract/tag-test.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/dialect.ts'
import { change } from '#server/db/transactions/change.ts'
import type { Logger } from '#server/http/logging/logger.ts'
import type { AddedSteps, CopiedEvent, CopyTestEvent } from './page-routes.ts'

interface TestCopiesDeps {
  db: Db
  log: Pick<Logger, 'warn'>
  copyTestEvent: CopyTestEvent
}

type Visitor = Pick<CopiedEvent, 'agent' | 'address'>

/**
 * Tells vendors of what was done in tests, beside the requests of the page, and puts each answer into its test, where any
 * process can read it. None of it is in the queue of events.
 */
export class TestCopies {
  readonly #deps: TestCopiesDeps
  readonly #running = new Set<Promise<void>>()

  constructor(deps: TestCopiesDeps) {
    this.#deps = deps
  }

  begin(added: AddedSteps, visitor: Visitor): void {
    for (const due of added.copies) {
      const copying = this.#copy(added, due, visitor)
        .catch((error) => this.#deps.log.warn({ err: error }, 'an answer of a test was lost'))
        .finally(() => this.#running.delete(copying))
      this.#running.add(copying)
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #copy(
    { testId, pixelId, testCode }: AddedSteps,
    { event, eventId, at }: DueCopy,
    visitor: Visitor,
  ): Promise<void> {
    const since = performance.now()
    const copy = await this.#deps
      .copyTestEvent(pixelId, { event, eventId: eventId ?? randomUUID(), testCode, ...visitor })
      .catch((error): Omit<TestCopy, 'event'> => {
        this.#deps.log.warn({ err: error }, 'an event of a test could not be sent')
        return { check: null, message: 'O servidor não conseguiu enviar agora. Teste de novo.' }
      })
    const elapsed = Math.round(performance.now() - since)
    await append(this.#deps.db, testId, { kind: 'copy', at: at + elapsed, copy: { event, ...copy } })
  }
}

function append(db: Db, testId: string, step: TestStep): Promise<void> {
  return change(db, async (trx) => {
    const test = await locked(
      trx,
      trx.selectFrom('tag_tests').select('steps').where('id', '=', testId),
    ).executeTakeFirst()
    if (test === undefined) return
    await trx
      .updateTable('tag_tests')
      .set({ steps: JSON.stringify([...test.steps, step]) })
      .where('id', '=', testId)
      .execute()
  })
}

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
