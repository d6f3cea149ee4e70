/** Replaced by the test before the tag is stored. */
export const ANON_KEY_PLACEHOLDER = 'ANON_KEY'
export const ASSET_PLACEHOLDER = '/assets/ASSET'

declare global {
  interface Window {
    attack(name: string): Promise<string | null>
    /** Factor for how long an attack waits. */
    patience?: number
  }
}

/**
 * A tag that an attacker got someone to paste: everything that a script on the page can try against the dashboard. Each
 * attack returns what it got, or null. It is stored as text and runs in the page, so it may use nothing from outside.
 */
export function hostileTag(): void {
  const PIXELS = '/rest/v1/tracking_pixels?select=name'
  const TARGETS = ['/auth/v1/user', PIXELS, '/admin']
  const headers = { apikey: 'ANON_KEY' }
  const SECRET = /"access_token":"|"aud":"authenticated"|^\[\{/
  const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
  /** Expected successes may take longer; expected failures are waited for briefly. */
  const patience = () => window.patience ?? 1
  const first = async <T>(list: readonly T[], attempt: (item: T) => Promise<string | null>) => {
    for (const item of list) {
      const got = await attempt(item).catch(() => null)
      if (got !== null) return got
    }
    return null
  }
  const steal = async (ask: typeof fetch, path: string, options: RequestInit = {}) => {
    const answer = await ask(path, { headers, ...options })
    return answer.ok && SECRET.test(await answer.text()) ? path : null
  }
  /** Uses another document of this origin: reads it, and calls the services from it. */
  const exploit = async (view: Window | null) => {
    if (view === null || view.closed || view.location.origin !== location.origin) return null
    if (SECRET.test(view.document.documentElement.outerHTML)) return 'its document'
    return first(TARGETS, (path) => steal(view.fetch.bind(view), path))
  }

  // The same file, loaded as a worker.
  if (typeof document === 'undefined') {
    steal(fetch, '/auth/v1/user').then(
      (got) => postMessage(got),
      () => postMessage(null),
    )
    return
  }
  const ownFile = (document.currentScript as HTMLScriptElement).src
  const asset = document.querySelector<HTMLScriptElement>('script[src*="/assets/"]')?.src ?? '/assets/ASSET'
  const springboards: Record<string, string> = {
    admin: '/admin',
    asset,
    missing: '/nao-existe',
    robots: '/robots.txt',
    overflow: `/?${'x'.repeat(52_000)}`,
  }
  /** Spellings of the dashboard's address that a browser leaves alone and a router may decode. */
  const spellings = ['/%61dmin', '/admi%6E', '/%61%64%6d%69%6e/users', '/admin%2Fusers', '/x%2F..%2Fadmin']
  const inFrame = (path: string) => async () => {
    const frame = document.createElement('iframe')
    frame.src = path
    const loaded = new Promise((done) => frame.addEventListener('load', done))
    document.body.append(frame)
    await Promise.race([loaded, wait(1500 * patience())])
    const got = await exploit(frame.contentWindow).catch(() => null)
    frame.remove()
    return got
  }
  const inWindow = (path: string) => async () => {
    const opened = window.open(path)
    let got: string | null = null
    for (let turn = 0; turn < 12 * patience() && got === null; turn++) {
      await wait(100)
      got = await exploit(opened).catch(() => null)
    }
    opened?.close()
    return got
  }
  /** Firefox lets a window's functions be replaced while it loads: what the dashboard then sends is visible. */
  const byReplacedFetch = (path: string) => async () => {
    const opened = window.open(path)
    let got: string | null = null
    for (let turn = 0; turn < 40 * patience() && got === null; turn++) {
      await wait(50)
      try {
        if (opened === null || opened.location.origin !== location.origin) continue
        const own = opened.fetch
        opened.fetch = (input, init) => {
          const sent = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
          if (/^Bearer eyJ/.test(sent.get('authorization') ?? '')) got = 'its token'
          return own.call(opened, input, init)
        }
      } catch {
        // Not accessible, or not yet.
      }
    }
    opened?.close()
    return got
  }
  const fromWorker = (make: () => Worker) =>
    new Promise<string | null>((done) => {
      const worker = make()
      worker.onmessage = (event) => done(event.data)
      worker.onerror = () => done(null)
      setTimeout(() => done(null), 1500 * patience())
    })
  const insertPixelBody = (name: string) =>
    JSON.stringify({ name, type: 'custom', code: '', is_active: false })

  const attacks: Record<string, () => Promise<string | null>> = {
    // The page's own note has names only, which every script can read anyway.
    'local-storage': async () =>
      Object.entries(localStorage).find(([key]) => key !== 'portico_before_tags')?.[1] ?? null,
    'session-storage': async () => sessionStorage.getItem('session'),
    cookies: async () => /(?:^|; )session=([^;]+)/.exec(document.cookie)?.[1] ?? null,
    'broadcast-channel': () =>
      new Promise((done) => {
        for (const name of ['supabase.auth.token', 'sb-localhost-auth-token', 'session', 'portico', '']) {
          new BroadcastChannel(name).onmessage = (event) => done(JSON.stringify(event.data))
        }
        setTimeout(() => done(null), 1000 * patience())
      }),
    fetch: () =>
      first(['include', 'same-origin', 'omit'] as const, (credentials) =>
        first(['/admin', '', 'about:client'], (referrer) =>
          first(['default', 'only-if-cached'] as const, (cache) =>
            first(TARGETS, (path) =>
              steal(fetch, path, { credentials, referrer, cache, mode: 'same-origin' }),
            ),
          ),
        ),
      ),
    xhr: () =>
      first(
        TARGETS,
        (path) =>
          new Promise((done) => {
            const call = new XMLHttpRequest()
            call.open('GET', path)
            call.withCredentials = true
            call.setRequestHeader('apikey', headers.apikey)
            call.onloadend = () => done(SECRET.test(call.responseText) ? path : null)
            call.send()
          }),
      ),
    beacon: async () => {
      navigator.sendBeacon('/rest/v1/tracking_pixels', insertPixelBody(`by beacon at ${location.port}`))
      return null
    },
    form: async () => {
      const form = document.createElement('form')
      form.action = '/rest/v1/tracking_pixels'
      form.method = 'post'
      form.enctype = 'text/plain'
      form.target = '_blank'
      const field = document.createElement('input')
      // As text/plain a form writes name=value: the equals sign hides in a value of the JSON.
      field.name = `{"name":"by form at ${location.port}","type":"custom","is_active":false,"code":"`
      field.value = '"}'
      form.append(field)
      document.body.append(form)
      form.submit()
      return null
    },
    'script-element': () =>
      new Promise((done) => {
        const script = document.createElement('script')
        script.src = '/auth/v1/user'
        // A 401 does not load: "load" means that an administrator is signed in.
        script.onload = () => done('an administrator is signed in')
        script.onerror = () => done(null)
        document.head.append(script)
      }),
    'named-window': async () => {
      const opened = window.open('/admin', 'dashboard')
      await wait(1200)
      const found = window.open('', 'dashboard')
      let got = await exploit(found).catch(() => null)
      for (let turn = 12; turn < 12 * patience() && got === null; turn++) {
        await wait(100)
        got = await exploit(found).catch(() => null)
      }
      found?.close()
      opened?.close()
      return got
    },
    'service-worker': () =>
      first([ownFile, asset, '/', '/robots.txt', '/admin'], async (path) => {
        const registration = await navigator.serviceWorker.register(path)
        await registration.unregister()
        return path
      }),
    worker: () =>
      first([ownFile, URL.createObjectURL(new Blob([`importScripts('${ownFile}')`]))], (path) =>
        fromWorker(() => new Worker(path)),
      ),
    speculation: async () => {
      const rules = { source: 'list', urls: ['/admin'], eagerness: 'immediate' }
      const script = document.createElement('script')
      script.type = 'speculationrules'
      script.textContent = JSON.stringify({ prefetch: [rules], prerender: [rules] })
      document.head.append(script)
      for (const rel of ['prefetch', 'prerender']) {
        document.head.append(Object.assign(document.createElement('link'), { rel, href: '/admin' }))
      }
      await wait(1000)
      return null
    },
    'navigation-entries': async () =>
      navigation
        .entries()
        .map((entry) => entry.url)
        .find((url) => url?.includes('/admin')) ?? null,
    plant: async () => {
      const session = JSON.stringify({
        access_token: 'planted',
        refresh_token: 'planted',
        token_type: 'bearer',
        expires_in: 3600,
        expires_at: 4_000_000_000,
        user: { id: 'planted', aud: 'authenticated', email: 'planted@example.com' },
      })
      for (const key of ['supabase.auth.token', 'sb-localhost-auth-token', 'session', '']) {
        localStorage.setItem(key, session)
        sessionStorage.setItem(key, session)
      }
      window.name = session
      history.replaceState({ session: JSON.parse(session) }, '')
      return null
    },
    'forged-reports': async () => {
      for (const blocked of ['http://localhost/admin', 'https://10.0.0.1/', 'https://*.com/', 'https://x/']) {
        await fetch('/api/csp-report', {
          method: 'POST',
          headers: { 'content-type': 'application/csp-report' },
          body: JSON.stringify({
            'csp-report': {
              'document-uri': `${location.origin}/`,
              'effective-directive': 'script-src',
              'blocked-uri': blocked,
            },
          }),
        })
      }
      return null
    },
  }
  for (const [name, path] of Object.entries(springboards)) {
    attacks[`frame-${name}`] = inFrame(path)
    attacks[`window-${name}`] = inWindow(path)
  }
  attacks['frame-spelled'] = () => first(spellings, (path) => inFrame(path)())
  attacks['window-spelled'] = () => first(spellings, (path) => inWindow(path)())
  attacks['window-spelled-fetch'] = byReplacedFetch('/%61dmin')
  attacks['window-admin-fetch'] = byReplacedFetch('/admin')
  attacks['fetch-spelled'] = () =>
    first(['/api/..%2Fauth/v1/user', '/api/%2E%2E%2Frest/v1/tracking_pixels', '/%61uth/v1/user'], (path) =>
      steal(fetch, path),
    )
  window.attack = (name) => (attacks[name]?.() ?? Promise.resolve('no such attack')).catch(() => null)
}
