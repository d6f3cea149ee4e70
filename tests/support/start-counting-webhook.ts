import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface CountingWebhook {
  url: string
  count(): Promise<unknown>
  stop(): void
}

export async function startCountingWebhook(): Promise<CountingWebhook> {
  const child = spawn(process.execPath, ['tests/support/counting-webhook.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(child.stdout, 'data')
  const url = `http://127.0.0.1:${Number(port)}/`
  return { url, count: async () => (await fetch(url)).json(), stop: () => void child.kill() }
}
