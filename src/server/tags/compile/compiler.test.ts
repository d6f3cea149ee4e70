import { Worker } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import { KILLERS } from '#tests/support/nasty-snippets.ts'
import { TagCompiler } from './compiler.ts'

const SLOW = {
  type: 'custom' as const,
  pixel_id: null,
  code: KILLERS['thousands of groups of one name'] ?? '',
}

afterEach(() => vi.restoreAllMocks())

async function compileSlowly(deadlineMs: number): Promise<unknown> {
  const compiler = new TagCompiler({ deadlineMs })
  const answer = await compiler.compile(SLOW).catch((error: Error) => error.message)
  await compiler.close()
  return answer
}

test('refuses a snippet that has used up its processor time', async () => {
  const asked = vi.spyOn(Worker.prototype, 'cpuUsage')
  expect(await compileSlowly(20)).toMatch(/^O código demora demais para ser analisado/)
  expect(asked).toHaveBeenCalled()
})

test('waits for a snippet that other programs keep from the processor, but not for ever', async () => {
  const asked = vi.spyOn(Worker.prototype, 'cpuUsage').mockResolvedValue({ user: 0, system: 0 })
  expect(await compileSlowly(20)).toMatch(/^O código demora demais para ser analisado/)
  // Once before, and after 20, 70, 120, 170 and 220 milliseconds.
  expect(asked.mock.calls.length).toBeGreaterThanOrEqual(5)
})
