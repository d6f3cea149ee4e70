import type { InjectOptions } from 'fastify'
import type { TestApp } from '../support/test-app.ts'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  body: any
  text: string
  cookies: Record<string, string>
}

export interface AuthCall {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'PATCH' | 'OPTIONS'
  path: string
  apikey?: string | undefined
  bearer?: string | undefined
  body?: unknown
  headers?: Record<string, string>
  from?: string
}

/** One call to the app in process, without cookies. */
export async function call(site: TestApp, request: AuthCall): Promise<Answer> {
  const { method = 'GET', path, apikey, bearer, body, headers = {}, from } = request
  const options: InjectOptions = {
    method,
    url: path,
    headers: {
      ...(apikey === undefined ? {} : { apikey }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json;charset=UTF-8' }),
      'x-supabase-api-version': '2024-01-01',
      ...headers,
    },
    ...(from === undefined ? {} : { remoteAddress: from }),
  }
  if (body !== undefined) options.payload = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await site.app.inject(options)
  // The response to a HEAD names the type of a missing body.
  const isJson = String(response.headers['content-type']).includes('json') && response.body !== ''
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    body: isJson ? JSON.parse(response.body) : null,
    cookies: Object.fromEntries(response.cookies.map(({ name, value }) => [name, value])),
  }
}

/** Headers of a call by the dashboard's own script. */
export function asDashboard(site: TestApp): Record<string, string> {
  const origin = site.config.adminUrl ?? site.config.siteUrl
  return { origin, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
}

/** Headers of a navigation by a person. */
export const AS_NAVIGATION = {
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}
