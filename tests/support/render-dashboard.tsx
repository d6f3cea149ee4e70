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
}

/** The whole dashboard as a browser would open it, with the scripted server behind `fetch`. */
export async function openDashboard(
  site: ScriptedSite,
  { path = '/admin', who = MARINA, canMail = true }: Options = {},
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
  }
  render(<App boot={boot} link={null} />)
  await screen.findByRole('button', { name: who === null ? 'Entrar' : 'Sair' })
  return { person: patientPerson(userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) })) }
}

/** A modal dialog first stops the pointer on the whole page and lets it into itself one render later. */
function patientPerson(person: UserEvent): UserEvent {
  const click: UserEvent['click'] = async (element) => {
    await waitFor(() => expect(pointerEventsOf(element)).not.toBe('none'))
    await person.click(element)
  }
  return { ...person, click }
}

/** The nearest that says something: the stand-in for a browser hands nothing down. */
function pointerEventsOf(element: Element | null): string {
  if (element === null) return 'auto'
  return getComputedStyle(element).pointerEvents || pointerEventsOf(element.parentElement)
}
