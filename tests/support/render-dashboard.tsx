import { render, screen, waitFor } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { expect, vi } from 'vitest'
import { App } from '../../src/admin/app/app.tsx'
import { navigate } from '../../src/admin/lib/router.tsx'
import { MARINA } from './scripted-rows.ts'
import type { ScriptedSite } from './scripted-site.ts'

interface Opened {
  person: UserEvent
}

interface Options {
  path?: string
  /** Null shows the login. */
  who?: { id: string; email: string } | null
  canMail?: boolean
  demonstration?: true
}

/** The whole dashboard with the scripted server behind `fetch`. */
export async function openDashboard(
  site: ScriptedSite,
  { path = '/admin', who = MARINA, canMail = true, ...rest }: Options = {},
): Promise<Opened> {
  vi.stubGlobal('fetch', site.fetch)
  navigate(path)
  const boot = {
    brandName: 'Pórtico',
    siteUrl: 'http://localhost:3000',
    anonKey: 'anon',
    session: who === null ? null : site.sessionOf(who),
    sharedOrigin: false,
    secureContext: true,
    canMail,
    ...rest,
  }
  render(<App boot={boot} link={null} />)
  await screen.findByRole('button', { name: who === null ? 'Entrar' : 'Sair' })
  return { person: patientPerson(userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) })) }
}

/** A modal dialog first disables the pointer on the whole page and enables it inside one render later. */
function patientPerson(person: UserEvent): UserEvent {
  const ready = (element: Element) =>
    waitFor(() => expect(pointerEventsOf(element)).not.toBe('none'), { timeout: 30_000 })
  return {
    ...person,
    click: async (element) => {
      await ready(element)
      await person.click(element)
    },
    dblClick: async (element) => {
      await ready(element)
      await person.dblClick(element)
    },
    type: async (element, ...rest) => {
      await ready(element)
      await person.type(element, ...rest)
    },
    selectOptions: async (element, values) => {
      await ready(element)
      await person.selectOptions(element, values)
    },
  }
}

/** The nearest explicit value: the DOM emulation inherits nothing. */
function pointerEventsOf(element: Element | null): string {
  if (element === null) return 'auto'
  return getComputedStyle(element).pointerEvents || pointerEventsOf(element.parentElement)
}
