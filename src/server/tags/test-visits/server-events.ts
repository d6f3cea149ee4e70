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
 * Sends events of tests to vendors, outside the outbox, and stores each answer in its test, where any process can read
 * it.
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
        .catch((error) => this.#deps.log.warn({ err: error }, 'test visit: answer not stored'))
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
        this.#deps.log.warn({ err: error }, 'test visit: event not sent')
        return {
          check: null,
          message: 'O servidor não conseguiu enviar. Teste novamente em alguns instantes.',
        }
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

/** A step of the page that the server has to send too. */
export interface DueCopy {
  event: ServerEventName
  /** The same ID as in the browser's event. */
  eventId: string | undefined
  /** When the page reported it. */
  at: number
}

/**
 * Events that the server sends for these steps, in their order: as in a visit, a page view if only the server sends it,
 * and each conversion. Limited, because a page can report anything.
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
