import { adoptStyle } from '../shared/adopt-style.ts'
import barStyle from './test-bar.css?inline'

/** Says on the page that it is a test, and how far it is. */
export class TestBar {
  readonly #status: HTMLElement

  constructor(name: string, notice: string) {
    adoptStyle(barStyle)
    const bar = document.createElement('aside')
    bar.className = 'test-bar'
    bar.ariaLabel = 'Teste'
    const title = document.createElement('b')
    title.textContent = `Teste de ${name}`
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
