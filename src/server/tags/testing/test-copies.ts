import { randomUUID } from 'node:crypto'
import type { TestCopy, TestStep } from '#contract/tag-test.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/locked.ts'
import type { Logger } from '#server/http/logger.ts'
import type { AddedSteps } from './add-steps.ts'
import type { DueCopy } from './list-copies.ts'
import type { CopiedEvent, CopyTestEvent } from './test-deps.ts'

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
