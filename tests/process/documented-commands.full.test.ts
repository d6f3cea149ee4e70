import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeStorage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { spawnNode, spawnServer, untilReady } from '../support/spawn-server.ts'

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync('docs/{operate,integrate,develop}/*.md'),
].sort()

/** Programs that need root, a container or another machine, and lines that another test runs (`integrating.full.test.ts`). */
const NOT_RUN = ['docker', 'sudo', 'git', 'caddy', 'cd', 'node', 'curl', 'export', 'SITE_ADDRESS']

/** Scripts that take minutes, need root, or serve until they are stopped. */
const TOO_LONG =
  /^(test|test:full|start|demo|dev|bench|chaos|engines|judge|mutants|deploy-check|image-tree|vitest|format)$/

/** What must not run beside a server on the same data. */
const ALONE = ['restore', 'export', 'import']

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

/** Every command of the `sh` blocks: continued lines are joined, comments are left out, `&&` separates. */
function readCommands(file: string): string[] {
  return Array.from(
    readFileSync(file, 'utf8').matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm),
    ([, block = '']) => block,
  )
    .flatMap((block) => block.replace(/\\\n/g, ' ').split('\n'))
    .flatMap((line) => line.replace(/(^|\s)# .*$/, '').split('&&'))
    .map((command) => command.trim())
    .filter((command) => command !== '')
}

/** The script and its arguments; null for a program that is not run here. */
function parseCommand(command: string): { name: string; args: string[] } | null {
  const [program = '', ...words] = command.split(/\s+/)
  if (program !== 'npm') {
    expect(NOT_RUN, command).toContain(program.split('=')[0])
    return null
  }
  if (words[0] === 'ci') return null
  const [name = '', ...args] = words[0] === 'run' ? words.slice(1) : words
  expect(Object.keys(scripts), command).toContain(name)
  return TOO_LONG.test(name) ? null : { name, args: args.filter((word) => word !== '--') }
}

test.each(DOCUMENTS)('the commands of %s work', async (file) => {
  const commands = readCommands(file).flatMap((command) => parseCommand(command) ?? [])
  if (commands.length === 0) return
  const storage = await makeStorage('sqlite')
  const port = await freePort()
  const env = { ...storage.env, PORT: String(port), BACKUP_DIR: join(storage.dataDir, 'backups') }
  const server = spawnServer(env)
  const stop = async () => {
    server.child.kill('SIGTERM')
    await server.ended
  }
  onTestFinished(async () => {
    await stop()
    await storage.remove()
  })
  await untilReady(server, `http://localhost:${port}`)
  const folder = join(storage.dataDir, 'work')
  mkdirSync(folder)
  const user = { id: crypto.randomUUID(), email: 'bia@exemplo.com.br' }
  writeFileSync(join(folder, 'users.jsonl'), `${JSON.stringify(user)}\n`)
  for (const { name, args } of commands) {
    if (ALONE.includes(name)) await stop()
    // To another database with the same key, as the text says.
    const moved = { DATA_DIR: join(folder, 'moved'), SECRET_KEY_FILE: join(storage.dataDir, 'secret.key') }
    const settings = name === 'import' ? { ...env, ...moved } : env
    // npm would run it in the repository; its file belongs into the folder.
    const run = spawnNode([resolve(`dist/server/${name}.js`), ...args], settings, folder)
    expect([await run.ended, run.output()], `${name} ${args.join(' ')}`).toEqual([
      0,
      expect.not.stringMatching(/\n\s+at /),
    ])
  }
})

test('the documents have commands that are run', () => {
  const run = DOCUMENTS.flatMap(readCommands).filter((command) => parseCommand(command) !== null)
  expect(run.length).toBeGreaterThan(10)
})
