import { createContext, type ReactNode, use } from 'react'
import type { AdminBoot } from '#contract/admin-page.ts'
import type { Clients } from './clients.ts'

export interface Services extends Clients {
  boot: AdminBoot
}

const ServicesContext = createContext<Services | null>(null)

export function ServicesProvider({ services, children }: { services: Services; children: ReactNode }) {
  return <ServicesContext value={services}>{children}</ServicesContext>
}

export function useServices(): Services {
  const services = use(ServicesContext)
  if (services === null) throw new Error('useServices needs a ServicesProvider')
  return services
}
