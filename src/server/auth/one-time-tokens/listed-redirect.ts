/** The one parameter that the official client adds to an address by itself: it finds its verifier by it. */
const FLOW_ID = 'sb_flow_id'
const FLOW_ID_SHAPE = /^[\w-]{8,64}$/

/**
 * The address of `AUTH_REDIRECT_URLS` that is asked for, or null. Origin, path and query are compared as parsed; what is
 * given back is the operator's own address, so no spelling of the question can lead anywhere else.
 */
export function listedRedirect(listed: readonly string[], asked: string | undefined): string | null {
  if (listed.length === 0 || asked === undefined || !URL.canParse(asked)) return null
  const url = new URL(asked)
  if (url.username !== '' || url.password !== '' || url.hash !== '') return null
  const [flowId, ...more] = url.searchParams.getAll(FLOW_ID)
  if (more.length > 0 || (flowId !== undefined && !FLOW_ID_SHAPE.test(flowId))) return null
  url.searchParams.delete(FLOW_ID)
  const found = listed.find((entry) => isSame(new URL(entry), url))
  if (found === undefined || flowId === undefined) return found ?? null
  return withQuery(found, { [FLOW_ID]: flowId })
}

export function withQuery(address: string, parameters: Record<string, string>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

function isSame(a: URL, b: URL): boolean {
  return a.origin === b.origin && a.pathname === b.pathname && `${a.searchParams}` === `${b.searchParams}`
}
