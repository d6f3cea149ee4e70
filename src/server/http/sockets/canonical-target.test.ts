import { posix } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalTarget } from './raw-server.ts'

const ask = (url: string, rawHeaders: string[] = ['Host', 'a'], httpVersion = '1.1') =>
  canonicalTarget({ url, httpVersion, rawHeaders })

describe('accepted unchanged', () => {
  test.each([
    ['/', '/', null],
    ['/?', '/', ''],
    ['/admin/', '/admin/', null],
    ['/.well-known/security.txt', '/.well-known/security.txt', null],
    ['/a;b=c,d:e@f', '/a;b=c,d:e@f', null],
    ['/promo%C3%A7%C3%A3o%20nova', '/promo%C3%A7%C3%A3o%20nova', null],
    ['/rest/v1/x?a=%2F%7E&b=//../%61', '/rest/v1/x', 'a=%2F%7E&b=//../%61'],
    ['/?a=é?b', '/', 'a=é?b'],
  ])('%s', (url, path, query) => {
    expect(ask(url)).toEqual({ path, query, host: 'a' })
  })

  test.each([
    ['WWW.Exemplo.com.br', 'www.exemplo.com.br'],
    ['a:3000', 'a:3000'],
    ['127.0.0.1:80', '127.0.0.1:80'],
    ['[::1]:3000', '[::1]:3000'],
    ['a_b.example.', 'a_b.example.'],
  ])('the host %s', (host, canonical) => {
    expect(ask('/', ['X', 'y', 'hOST', host])).toMatchObject({ host: canonical })
  })

  test.each(['/healthz', '/readyz', '/readyz/serve'])('%s of HTTP/1.0 without a host', (url) => {
    expect(ask(url, [], '1.0')).toEqual({ path: url, query: null, host: null })
  })
})

describe('refused', () => {
  test.each([
    ['', 'form'],
    ['*', 'form'],
    ['admin', 'form'],
    ['http://a/admin', 'form'],
    ['a:443', 'form'],
    ['/a\\b', 'character'],
    ['/a b', 'character'],
    ['/a#b', 'character'],
    ['/é', 'character'],
    ['/a\u0000', 'character'],
    ['//a', 'empty segment'],
    ['/a//', 'empty segment'],
    ['/.', 'dot segment'],
    ['/a/../b', 'dot segment'],
    ['/..;/admin', 'dot segment'],
    ['/%61dmin', 'escape'],
    ['/%7Eana', 'escape'],
    ['/%2e%2e/admin', 'escape'],
    ['/a%2Fb', 'escape'],
    ['/a%5Cb', 'escape'],
    ['/a%2561', 'escape'],
    ['/a%3Fb', 'escape'],
    ['/a%00', 'escape'],
    ['/a%c3%a9', 'escape'],
    ['/a%C3', 'escape'],
    ['/a%C0%AF', 'escape'],
    ['/a%zz', 'escape'],
    ['/a%', 'escape'],
  ])('%j: %s', (url, refusal) => {
    expect(ask(url)).toEqual({ refusal })
  })

  test.each([
    [[], '1.1', 'host missing'],
    [[], '1.0', 'host missing'],
    [['Host', 'a', 'host', 'a'], '1.1', 'host repeated'],
    [['Host', ''], '1.1', 'host malformed'],
    [['Host', 'a b'], '1.1', 'host malformed'],
    [['Host', 'a, b'], '1.1', 'host malformed'],
    [['Host', 'user@a'], '1.1', 'host malformed'],
    [['Host', 'a/b'], '1.1', 'host malformed'],
    [['Host', 'a'], '2.0', 'version'],
    [['Host', 'a'], '0.9', 'version'],
  ])('headers %j of HTTP/%s: %s', (rawHeaders, version, refusal) => {
    expect(ask('/', rawHeaders, version)).toEqual({ refusal })
  })

  test('/healthz of HTTP/1.1 without a host', () => {
    expect(ask('/healthz', [])).toEqual({ refusal: 'host missing' })
  })
})

test('accepts exactly one spelling of all that decode to the same path', () => {
  const spelled = fc.array(
    fc.oneof(
      fc.constantFrom('/', '//', '/.', '/..', '%2F', '%2f', '\\', ';'),
      fc.constantFrom('a', 'A', '%61', '%41', '%C3%A9', '%c3%a9', '%20', '%2561', '~', '%7E', ':', '%3A'),
    ),
    { maxLength: 8 },
  )
  const firstOf = new Map<string, string>()
  fc.assert(
    fc.property(spelled, (parts) => {
      const target = ask(`/${parts.join('')}`)
      if ('refusal' in target) return
      // How the most lenient server would read it.
      const read = posix.normalize(decodeURIComponent(target.path).replaceAll('\\', '/'))
      const first = firstOf.get(read) ?? target.path
      firstOf.set(read, first)
      expect(target.path).toBe(first)
    }),
    { numRuns: 2000 },
  )
})
