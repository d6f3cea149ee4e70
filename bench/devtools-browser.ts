import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

type Parameters = Record<string, unknown>
type Hear = (parameters: Parameters) => void

/** One page, over the DevTools protocol. */
export interface DevtoolsSession {
  send<Result = unknown>(method: string, parameters?: Parameters): Promise<Result>
  on(event: string, hear: Hear): void
}

export interface DevtoolsBrowser extends DevtoolsSession {
  open(): Promise<DevtoolsSession & { close(): Promise<void> }>
  close(): Promise<void>
}

/**
 * A browser without a driver: drivers create execution contexts in every frame, which costs as much main-thread time as
 * what is measured.
 */
export async function launchUndriven(program: string, args: readonly string[]): Promise<DevtoolsBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const child = spawn(
    program,
    [...args, '--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const socket = new WebSocket(await readAddress(child))
  await once(socket, 'open')
  const waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>()
  const hearers = new Map<string, Hear>()
  let last = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, method, params, sessionId = '' } = JSON.parse(String(data))
    if (id === undefined) hearers.get(`${sessionId} ${method}`)?.(params)
    else if (error) waiting.get(id)?.reject(new Error(error.message))
    else waiting.get(id)?.resolve(result as never)
    waiting.delete(id)
  })
  const session = (sessionId = ''): DevtoolsSession => ({
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        last += 1
        waiting.set(last, { resolve, reject })
        socket.send(JSON.stringify({ id: last, method, params, ...(sessionId && { sessionId }) }))
      }),
    on: (event, hear) => void hearers.set(`${sessionId} ${event}`, hear),
  })
  const whole = session()
  return {
    ...whole,
    open: async () => {
      const { browserContextId } = await whole.send<Parameters>('Target.createBrowserContext')
      const target = { url: 'about:blank', browserContextId, width: 1440, height: 900 }
      const { targetId } = await whole.send<Parameters>('Target.createTarget', target)
      const attach = { targetId, flatten: true }
      const { sessionId } = await whole.send<{ sessionId: string }>('Target.attachToTarget', attach)
      const close = async () => void (await whole.send('Target.disposeBrowserContext', { browserContextId }))
      return { ...session(sessionId), close }
    },
    close: async () => {
      const ended = once(child, 'exit')
      // A signal would end only the script that some systems start Chromium with, and leave the browser.
      void whole.send('Browser.close')
      await ended
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** It prints its address among other lines. */
async function readAddress(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stderr as Readable)) {
    const [address] = /ws:\S+/.exec(line) ?? []
    if (address !== undefined) return address
  }
  throw new Error('the browser ended before it listened')
}
