import type { FastifyInstance } from 'fastify'

export interface AppRoute {
  method: string
  path: string
}

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'
/** The framework's tree prints these as one. */
const WILDCARDS = ['/admin/*', '/admin/api/*', '/assets/*', '/tags/*']

/** Every route of the framework, with its parameters filled in. It prints them as a tree, by depth. */
export function appRoutes(app: FastifyInstance, parameter = UNKNOWN_ID): AppRoute[] {
  const branch: string[] = []
  const named = app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const match = /^([│├└─\s]*)(\/\S*) \(([A-Z, ]+)\)$/.exec(line)
      if (match === null) return []
      const [, indent = '', part = '', methods = ''] = match
      branch.splice(indent.length / 4 - 1, branch.length, part)
      const path = branch.join('').replace(':table', 'tracking_pixels').replace(/:\w+/g, parameter)
      return methods.split(', ').map((method) => ({ path, method }))
    })
  const wild = WILDCARDS.map((url) => {
    if (!app.hasRoute({ method: 'GET', url })) throw new Error(`there is no route ${url}`)
    return { path: url.replace('*', 'x'), method: 'GET' }
  })
  return [...named, ...wild]
}
