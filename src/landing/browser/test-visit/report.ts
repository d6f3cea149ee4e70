import { TEST_MAX_STEPS, TEST_MAX_STEPS_AT_ONCE, TEST_STEPS_PATH, type TestStep } from '#contract/tag-test.ts'
import { adoptStyle } from '../shared/page.ts'
import barStyle from './test-bar.css?inline'

const SEND_EVERY_MS = 300

/** Reports what the page saw to the test, each fact once. Created before the tag runs, which could replace `fetch`. */
export class StepReporter {
  readonly #key: string
  readonly #fetch = window.fetch.bind(window)
  readonly #said = new Set<string>()
  #waiting: TestStep[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending = Promise.resolve()

  constructor(key: string) {
    this.#key = key
    addEventListener('pagehide', () => {
      this.add({ kind: 'left' })
      this.#send(true)
    })
  }

  /** `phase` distinguishes what may be reported again, as after a click. */
  add(step: Omit<TestStep, 'at'>, phase = 0): void {
    const said = JSON.stringify([phase, step])
    if (this.#said.has(said) || this.#said.size >= TEST_MAX_STEPS) return
    this.#said.add(said)
    this.#waiting.push({ ...step, at: Math.round(performance.now()) })
    this.#timer ??= setTimeout(() => this.#send(false), SEND_EVERY_MS)
  }

  #send(isLast: boolean): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const steps = this.#waiting.splice(0, TEST_MAX_STEPS_AT_ONCE)
    if (steps.length === 0) return
    const post = async () => {
      await this.#fetch(TEST_STEPS_PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key: this.#key, steps }),
        keepalive: true,
      }).catch(() => {})
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#send(false), SEND_EVERY_MS)
    }
    // Sequential, so that they arrive in order; a page that is left cannot wait.
    if (isLast) void post()
    else this.#sending = this.#sending.then(post)
  }
}

/** Shows on the page that it is a test, and its progress. */
export class TestBar {
  readonly #status: HTMLElement

  constructor(name: string, notice: string) {
    adoptStyle(barStyle)
    const bar = document.createElement('aside')
    bar.className = 'test-bar'
    bar.ariaLabel = 'Teste'
    const title = document.createElement('b')
    title.textContent = `Teste do pixel ${name}`
    this.#status = document.createElement('span')
    this.#status.role = 'status'
    bar.append(title, this.#status)
    document.querySelector('.skip')?.after(bar)
    new ResizeObserver(() => {
      document.documentElement.style.setProperty('--test-bar', `${bar.offsetHeight}px`)
    }).observe(bar)
    this.say(`Esta visita não entra nos números do painel. ${notice} Faça sua escolha no aviso de cookies.`)
  }

  say(text: string): void {
    this.#status.textContent = text
  }
}
