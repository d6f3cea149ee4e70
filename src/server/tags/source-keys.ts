import type { HostDirective } from '#contract/tag-status.ts'
import type { TagSources } from '../http/content-security-policy.ts'

/** What a part of the policy is called in the catalogue and on the wire. */
export const DIRECTIVE_OF: Record<keyof TagSources, HostDirective> = {
  script: 'script',
  connect: 'connect',
  image: 'img',
  frame: 'frame',
  style: 'style',
  font: 'font',
  form: 'form',
  media: 'media',
}
export const SOURCE_KEYS = Object.keys(DIRECTIVE_OF) as (keyof TagSources)[]

const SOCKET = 'wss://'

/** A source without a scheme does not mean sockets. */
export function isSocketSource(source: string): boolean {
  return source.startsWith(SOCKET)
}

export function toSocketSource(host: string): string {
  return SOCKET + host
}

/** CSP host matching: `*.vendor.com` means every name below, and not `vendor.com` itself. */
export function matchesSource(host: string, source: string): boolean {
  const name = isSocketSource(source) ? source.slice(SOCKET.length) : source
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}
