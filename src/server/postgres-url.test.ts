import { describe, expect, test } from 'vitest'
import { findUrlFault, splitHosts } from './postgres-url.ts'

test.each([
  ['postgres://db/site', ['postgres://db/site']],
  ['postgres://ana@/site?host=/run/postgresql', ['postgres://ana@/site?host=/run/postgresql']],
  [
    'postgresql://ana:p%40ss@db1:5432,db2:5433/site?target_session_attrs=read-write',
    [
      'postgresql://ana:p%40ss@db1:5432/site?target_session_attrs=read-write',
      'postgresql://ana:p%40ss@db2:5433/site?target_session_attrs=read-write',
    ],
  ],
  ['postgres://[::1]:5432,db2/site', ['postgres://[::1]:5432/site', 'postgres://db2/site']],
  ['postgres://db/site?a=1&sslmode=require&b=2', ['postgres://db/site?a=1&sslmode=verify-full&b=2']],
  ['postgres://db/site?sslmode=no-verify', ['postgres://db/site?sslmode=no-verify']],
  [
    'postgres://db/site?uselibpqcompat=true&sslmode=require',
    ['postgres://db/site?uselibpqcompat=true&sslmode=require'],
  ],
])('splits %s into one address per host', (url, hosts) => {
  expect(splitHosts(url)).toEqual(hosts)
})

describe('an address', () => {
  test.each([
    ['mysql://db/site', 'postgres://'],
    ['postgres://ana:segredo@db1,/site', 'servidor incompleto'],
    ['postgres://ana:segredo@db1:5432:5433,db2/site', 'servidor incompleto'],
    ['postgres://ana:segredo@/site?host=db1,db2', 'antes da barra'],
    ['postgres://ana:segredo@db/site?target_session_attrs=standby', 'target_session_attrs=read-write'],
    ['postgres://ana:segredo@db/site?sslmode=requier', 'sslmode=requier'],
    ['postgres://ana:segredo@db/site?sslmode=verify-ca&uselibpqcompat=true', 'sslrootcert'],
    ['postgres://ana:segredo@db/site?sslmode=verify-full&sslrootcert=/no/ca.pem', '/no/ca.pem'],
  ])('%s is refused with its reason, without the password', (url, reason) => {
    expect(findUrlFault(url)).toContain(reason)
    expect(findUrlFault(url)).not.toContain('segredo')
  })

  test.each([
    'postgres://db/site',
    'postgres://ana:segredo@db1:5432,[::1]:5433,db3/site?target_session_attrs=read-write',
    'postgres://db/site?sslmode=verify-full&sslrootcert=/dev/null',
    'postgres://ana@/site?host=/run/postgresql',
  ])('%s is accepted', (url) => {
    expect(findUrlFault(url)).toBeNull()
  })
})
