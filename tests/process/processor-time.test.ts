import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { treeProcessorMilliseconds } from '../../bench/process-usage.ts'

const BUSY_MS = 300
const BUSY = `const end = process.cpuUsage().user + ${BUSY_MS * 1000}; while (process.cpuUsage().user < end);`

test('counts the processor time of children that have ended', async () => {
  const child = spawn('sh', ['-c', `"${process.execPath}" -e "${BUSY}"; echo ended; read line`])
  await once(child.stdout, 'data')
  const counted = treeProcessorMilliseconds(child.pid ?? 0)
  child.stdin.end()
  await once(child, 'close')
  expect(counted).toBeGreaterThanOrEqual(BUSY_MS)
})
