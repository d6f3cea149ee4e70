import { parentPort, workerData } from 'node:worker_threads'
import { StatementRunner } from './sqlite-runner.ts'
import type { ThreadOptions, ThreadRequest } from './sqlite-thread.ts'

/** Entry of the SQLite thread. The build makes it a file beside the server's bundle. */
const port = parentPort

if (port === null) throw new Error('the SQLite thread cannot run by itself')

const runner = new StatementRunner(workerData as ThreadOptions, (answer) => port.postMessage(answer))

port.on('message', (request: ThreadRequest) => {
  if (request !== 'close') return runner.accept(request)
  runner.close()
  port.close()
})
