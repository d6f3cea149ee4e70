import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { endWithUs } from './page-server.ts'
import { pinned } from './processor.ts'
import type { SteadyLoad } from './steady-load-process.ts'

/** A process that sends a steady load; at its end it returns how many per second got which status. */
export function startLoad(options: SteadyLoad): { end(): Promise<string> } {
  const [program = '', ...args] = pinned('client', [
    process.execPath,
    'bench/steady-load-process.ts',
    JSON.stringify(options),
  ])
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  endWithUs(child)
  let printed = ''
  child.stdout.on('data', (part) => {
    printed += part
  })
  return {
    end: async () => {
      child.kill()
      await once(child, 'close')
      const { seconds, statuses } = JSON.parse(printed) as {
        seconds: number
        statuses: Record<string, number>
      }
      return Object.entries(statuses)
        .map(([status, count]) => `${status}: ${(count / seconds).toFixed(1)}/s`)
        .join(', ')
    },
  }
}
