import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../tests/support/free-port.ts'
import { findProgram } from './find-program.ts'
import { type PageServer, startPageServer } from './page-server.ts'
import type { ServedPage } from './served-page.ts'

const OWN_HEADERS = ['connection', 'keep-alive', 'date', 'etag', 'content-length', 'content-type', 'vary']

/** nginx with one worker, the same compressed bytes and the same headers. */
export async function startNginx(directory: string, page: ServedPage): Promise<PageServer> {
  const nginx = findProgram('nginx')
  if (nginx === null) throw new Error('nginx is not installed')
  const home = join(directory, 'nginx')
  mkdirSync(join(home, 'www'), { recursive: true })
  writeFileSync(join(home, 'www/page.br'), page.body)
  const port = await freePort()
  writeFileSync(join(home, 'nginx.conf'), configuration(home, port, page))
  return startPageServer({
    name: 'nginx, same bytes',
    url: `http://127.0.0.1:${port}/`,
    command: [nginx, '-e', join(home, 'error.log'), '-c', join(home, 'nginx.conf')],
  })
}

function configuration(home: string, port: number, { headers }: ServedPage): string {
  const added = Object.entries(headers)
    .filter(([name]) => !OWN_HEADERS.includes(name))
    .map(([name, value]) => `add_header ${name} "${value.replaceAll('"', '\\"')}";`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${home}/${name};`,
  )
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; worker_processes 1; pid ${home}/pid;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; open_file_cache max=16;
  ${temporary.join(' ')}
  server {
    listen 127.0.0.1:${port}; root ${home}/www;
    location = / { types {} default_type "text/html; charset=utf-8"; try_files /page.br =404; ${added.join(' ')} }
  }
}
`
}
