import { expect, test } from 'vitest'
import { createFrameRenderer } from './isolated-frame.ts'

const TAG = { id: 'a', type: 'custom' as const, category: 'marketing' as const, vendorId: null, hosts: [] }
const HOSTS = ['cdn.vendor.example', '*.vendor.example']

/** WebKit gives a host without a scheme that of the document's origin, and an opaque origin has none. */
test.each(['https://portico.example', 'http://localhost:3000'])(
  'every host in the policy of an isolated frame has its scheme: %s',
  (siteUrl) => {
    const sources = {
      script: HOSTS,
      connect: [...HOSTS, 'wss://socket.vendor.example'],
      image: HOSTS,
      frame: HOSTS,
      form: HOSTS,
      style: HOSTS,
      font: HOSTS,
      media: HOSTS,
    }
    const { render } = createFrameRenderer('', { siteUrl, hsts: null })
    const { headers } = render({ ...TAG, steps: [] }, sources)
    const policy = String(headers['content-security-policy']).split('; ')
    const named = (directive: string) =>
      policy
        .find((each) => each.startsWith(`${directive} `))
        ?.split(' ')
        .filter((source) => source.includes('.'))
    const withScheme = ['https://cdn.vendor.example', 'https://*.vendor.example']
    for (const directive of ['script-src', 'img-src', 'frame-src'])
      expect(named(directive)).toEqual(withScheme)
    expect(named('connect-src')).toEqual([...withScheme, 'wss://socket.vendor.example'])
  },
)
