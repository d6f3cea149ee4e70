import { replaceInSource } from './replace-in-source.ts'

/**
 * Servers that run in a test's own process hash passwords at a twentieth of the cost: thousands are hashed, to guess at them
 * and to sign in, and each would take a core for as long as a test of something else. What it costs an attacker is proved
 * by `tests/process/page-bytes.test.ts`, on the built server.
 */
export const quickHashes = () =>
  replaceInSource({
    name: 'quick-hashes',
    file: '/src/server/auth/passwords/stored-hash.ts',
    text: 'memoryCost: 19_456, timeCost: 2',
    by: 'memoryCost: 1_024, timeCost: 1',
  })
