import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { installNpmTool } from '../support/install-npm-tool.ts'
import { findTool } from './find-tool.ts'

export interface Finding {
  what: string
  by: string
  /** Null if the tool is not available. */
  faults: string | null
}

/** Each of our files that another program reads, checked by that program. */
export async function lintFiles(folder: string): Promise<Finding[]> {
  return [
    lint('deploy/portico.service', findTool('systemd-analyze', 'systemd'), [
      'verify',
      'deploy/portico.service',
    ]),
    lint('deploy/Caddyfile', findTool('caddy', 'caddy'), [
      'validate',
      '--adapter=caddyfile',
      '--config=deploy/Caddyfile',
    ]),
    lint('deploy/nginx.conf', findTool('nginx', 'nginx'), [
      '-t',
      '-e',
      join(folder, 'error.log'),
      '-c',
      await nginxAround(folder),
    ]),
    lint('deploy/alerts.yaml', findTool('promtool', 'prometheus'), ['check', 'rules', 'deploy/alerts.yaml']),
    lint('deploy/alerts.test.yaml', findTool('promtool', 'prometheus'), [
      'test',
      'rules',
      'deploy/alerts.test.yaml',
    ]),
    lintWithNpm('Dockerfile', 'dockerfile-utils', '0.16.3', 'bin/dockerfile-utils', ['lint', 'Dockerfile']),
    lintWithNpm('compose.yaml', 'dclint', '3.1.0', 'bin/dclint.cjs', [
      '-c',
      'deploy/.dclintrc',
      'compose.yaml',
    ]),
    lint('Dockerfile', findTool('hadolint', 'hadolint'), ['Dockerfile']),
  ]
}

function lint(what: string, program: string | null, args: string[]): Finding {
  const by = (program ?? 'hadolint').split('/').at(-1) ?? ''
  if (program === null) return { what, by, faults: null }
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, HOME: '/nonexistent' },
  })
  return { what, by, faults: status === 0 ? '' : `${stdout}${stderr}`.trim() }
}

function lintWithNpm(what: string, name: string, version: string, bin: string, args: string[]): Finding {
  try {
    return { ...lint(what, process.execPath, [join(installNpmTool(name, version), bin), ...args]), by: name }
  } catch {
    return { what, by: name, faults: null }
  }
}

/** nginx only reads whole configurations: ours, with a certificate, folders and ports that exist here. */
export async function nginxAround(
  folder: string,
  {
    ports: { plain, tls } = { plain: 40_080, tls: 40_443 },
    upstreams = ['127.0.0.1:3000'],
  }: { ports?: { plain: number; tls: number }; upstreams?: readonly string[] } = {},
): Promise<string> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'www.exemplo.com.br' }])
  mkdirSync(join(folder, 'cache'))
  writeFileSync(join(folder, 'fullchain.pem'), cert)
  writeFileSync(join(folder, 'privkey.pem'), key, { mode: 0o600 })
  const ours = readFileSync('deploy/nginx.conf', 'utf8')
    .replaceAll('/etc/ssl/portico', folder)
    .replaceAll('/var/cache/nginx/portico', join(folder, 'cache'))
    .replace(/listen (\[::\]:)?80/g, `listen $1${plain}`)
    .replace(/listen (\[::\]:)?443/g, `listen $1${tls}`)
    .replace(/server 127\.0\.0\.1:3000 (.*)/, (_line, options: string) =>
      upstreams.map((address) => `server ${address} ${options}`).join('\n'),
    )
  writeFileSync(join(folder, 'portico.conf'), ours)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `pid ${join(folder, 'pid')};\nevents {}\nhttp {\naccess_log off;\n${temporary.join('\n')}\ninclude ${join(folder, 'portico.conf')};\n}\n`,
  )
  return join(folder, 'nginx.conf')
}
