/** As the policy matches hosts: `*.vendor.com` means every name below, and not `vendor.com` itself. */
export function matchesSource(host: string, source: string): boolean {
  return source.startsWith('*.') ? host.endsWith(source.slice(1)) : host === source
}
