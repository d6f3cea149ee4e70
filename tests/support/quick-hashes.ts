import type { Plugin } from 'vite'

const FILE = '/src/server/auth/passwords/stored-hash.ts'
const COST = 'memoryCost: 19_456, timeCost: 2'
const LESS = 'memoryCost: 1_024, timeCost: 1'

/**
 * Servers that run in a test's own process hash passwords at a twentieth of the cost: thousands are hashed, to guess at them
 * and to sign in, and each would take a core for as long as a test of something else. What it costs an attacker is proved
 * by `tests/process/page-bytes.test.ts`, on the built server.
 */
export function quickHashes(): Plugin {
  return {
    name: 'quick-hashes',
    enforce: 'pre',
    transform: (code, id) => {
      if (!id.endsWith(FILE)) return null
      if (!code.includes(COST)) throw new Error(`${id} does not say ${COST} as it did`)
      return code.replace(COST, LESS)
    },
  }
}
