declare global {
  interface Window {
    attackPage(name: string, target: { pixel: string; set: string }): Promise<string | null>
    /** What the victim's vendor got. */
    heard: string[]
    /** Keys and clicks that reached the tag's document. */
    caught: string[]
  }
}

/**
 * A tag that attacks visitors and other tags. Each attack returns what it got, or null; attacks that cannot see their
 * success are judged by the caller. It is stored as text, in the page or in an isolated frame.
 */
export function hostilePageTag(): void {
  const EVIL = `${location.origin}/privacidade`
  const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
  const page = window.top ?? window
  window.caught = []
  const listen = (view: Window) => {
    for (const type of ['keydown', 'click'])
      view.addEventListener(type, (event) => window.caught.push((event as KeyboardEvent).key ?? type), true)
  }
  listen(window)
  const field = () => document.querySelector<HTMLInputElement>('input[type="email"]')
  const input = document.createElement('input')
  const focusSelf = () => {
    window.focus()
    if (!input.isConnected) document.body.append(input)
    input.focus()
  }
  const everyFrame = function* (): Generator<Window> {
    for (let at = 0; at < page.length; at++) yield page[at] as Window
  }

  type Target = { pixel: string; set: string }
  const attacks: Record<string, (target: Target) => Promise<string | null> | string | null> = {
    typing: async () => {
      for (let turn = 0; turn < 20; turn++) {
        const typed = field()?.value
        if (typed) return typed
        try {
          const seen = (page.document.querySelector('input[type="email"]') as HTMLInputElement).value
          if (seen) return seen
        } catch {
          // Not readable.
        }
        await wait(50)
      }
      return null
    },
    address: () => {
      const read = [location.href, document.referrer, document.URL]
      try {
        read.push(page.location.href)
      } catch {
        // Not readable.
      }
      return read.find((text) => text.includes('maria')) ?? null
    },
    choice: () => {
      const before = /portico_consent=([^;]+)/.exec(document.cookie)?.[1] ?? null
      // biome-ignore lint/suspicious/noDocumentCookie: as a tag would.
      document.cookie = 'portico_consent=; path=/; max-age=0'
      return before
    },
    draw: () => {
      const login = document.createElement('form')
      login.id = 'false-login'
      login.style.cssText = 'position:fixed;inset:0;z-index:2147483647;background:#fff'
      login.innerHTML = '<input type="password">'
      document.body.append(login)
      return null
    },
    'overlay-link': () => {
      const link = document.createElement('a')
      link.id = 'false-link'
      link.href = EVIL
      link.style.cssText = 'position:fixed;inset:0;z-index:2147483647;opacity:0'
      document.body.append(link)
      return null
    },
    'focus-loop': async () => {
      for (const end = performance.now() + 1_000; performance.now() < end; ) {
        focusSelf()
        await Promise.resolve()
      }
      return null
    },
    'focus-timer': () => {
      setInterval(focusSelf, 5)
      return null
    },
    'focus-nested': () => {
      // Of another opaque origin, so it reports by message what it caught.
      addEventListener('message', ({ data }) => data === 'key' && window.caught.push('key'))
      const frame = document.createElement('iframe')
      frame.srcdoc = `<input><script>
        onkeydown = () => parent.postMessage('key', '*')
        setInterval(() => { focus(); document.querySelector('input').focus() }, 5)
      </`.concat('script>')
      document.body.append(frame)
      return null
    },
    'focus-click': () => null,
    'navigate-tab': async () => {
      for (const attempt of [
        () => {
          page.location.href = EVIL
        },
        () => {
          open(EVIL, '_top')
        },
        () => {
          const link = document.createElement('a')
          Object.assign(link, { href: EVIL, target: '_top' })
          document.body.append(link)
          link.click()
        },
      ]) {
        try {
          attempt()
        } catch {
          // Refused.
        }
      }
      return null
    },
    opener: () => {
      page.opener.location.href = EVIL
      return null
    },
    'leave-frame': () => {
      // In the page this leaves it.
      location.href = EVIL
      return null
    },
    'swap-frame': () => {
      location.href = `${location.pathname}?again`
      return null
    },
    'other-tag': async () => {
      const detail = { event: 'lead', event_id: 'forged' }
      document.dispatchEvent(new CustomEvent('portico:event', { detail }))
      for (const frame of everyFrame()) {
        frame.postMessage({ portico: 'conversion', name: 'lead', id: 'forged' }, '*')
        frame.postMessage({ portico: 'start', jar: {}, calls: [{ call: 'victim', args: ['forged'] }] }, '*')
      }
      await wait(100)
      return null
    },
    'other-frame': () => {
      if ('victim' in window) return 'its functions'
      for (const frame of everyFrame()) {
        try {
          if (frame !== window && frame.document.documentElement.outerHTML.includes('victim'))
            return 'its frame'
        } catch {
          // Not readable.
        }
      }
      return null
    },
    'forge-conversion': async ({ pixel, set }) => {
      const conversion = { name: 'lead', ids: [pixel] }
      const report = { set, results: [], conversion }
      page.postMessage({ portico: 'told', id: 'forged', name: 'lead' }, '*')
      page.postMessage(
        { portico: 'report', report: { ...report, stopped: [], result: { outcome: 'ran' } } },
        '*',
      )
      const body = new Blob([JSON.stringify(report)], { type: 'application/json' })
      navigator.sendBeacon(`${location.origin}/api/tags/report`, body)
      await wait(100)
      return null
    },
    'forge-report': async ({ pixel, set }) => {
      const result = { id: pixel, outcome: 'failed', error: 'forged' }
      page.postMessage({ portico: 'report', report: { result, stopped: [], isFinal: true } }, '*')
      const report = { set, results: [result] }
      const body = new Blob([JSON.stringify(report)], { type: 'application/json' })
      navigator.sendBeacon(`${location.origin}/api/tags/report`, body)
      await wait(100)
      return null
    },
    flood: async () => {
      for (let turn = 0; turn < 50; turn++) {
        for (let at = 0; at < 100; at++) page.postMessage({ portico: 'told', id: 'x' }, '*')
        await wait(10)
      }
      return null
    },
    'flood-large': async () => {
      // Like a listener that reads the page's messages.
      if (page === window) addEventListener('message', ({ data }) => void data)
      const large = Array.from({ length: 50_000 }, (_, at) => ({ at, text: `${at}`, inside: { at } }))
      for (let turn = 0; turn < 39; turn++) page.postMessage(large, '*')
      return null
    },
    'flood-nested': async () => {
      // In the page there is no frame to write out of.
      if (page === window) for (let turn = 0; turn < 5000; turn++) page.postMessage({ id: 'x' }, '*')
      const frame = document.createElement('iframe')
      frame.srcdoc = `<script>
        for (let turn = 0; turn < 5000; turn++) top.postMessage({ portico: 'told', id: 'x' }, '*')
      </`.concat('script>')
      document.body.append(frame)
      return null
    },
    history: () => {
      for (let turn = 0; turn < 30; turn++) history.pushState(turn, '')
      return null
    },
    'fill-storage': async () => {
      for (let part = 0; part < 200; part++) {
        // biome-ignore lint/suspicious/noDocumentCookie: as a tag would.
        document.cookie = `filled${part}=${'x'.repeat(3000)}; max-age=60`
        try {
          localStorage.setItem(`filled${part}`, 'x'.repeat(5_000))
        } catch {
          // Full.
        }
      }
      page.postMessage({ portico: 'jar', jar: { local: 'x'.repeat(1_000_000), session: '' } }, '*')
      await wait(600)
      return null
    },
    hog: () => {
      for (const end = performance.now() + 3_000; performance.now() < end; );
      return null
    },
  }
  const { typing } = attacks
  if (typing) attacks.autofill = typing
  window.attackPage = async (name, target) => {
    try {
      return (await attacks[name]?.(target)) ?? null
    } catch {
      return null
    }
  }
}

/** A tag of somebody else, whose vendor gets conversions. */
export function victimTag(): void {
  window.heard = []
  Object.assign(window, { victim: (id: string) => window.heard.push(id) })
  document.addEventListener('portico:event', (event) =>
    window.heard.push((event as CustomEvent).detail.event_id),
  )
}
