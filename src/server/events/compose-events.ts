import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { DestinationList } from './destinations.ts'
import { isToldByEvent } from './is-told-by-event.ts'
import { type EventDeps, registerEvents } from './register-events.ts'
import { rememberSignUp } from './remember-sign-up.ts'
import { type Withdrawal, withholdEvents } from './withhold-events.ts'

/** What visitors' pages tell the server of, for the pixels that it tells on. */
export function composeEvents({ config: { siteUrl }, db }: { config: Config; db: Db }) {
  const destinations = new DestinationList(db)
  return {
    /** A pixel was changed by this process. */
    forgetDestinations: () => destinations.forget(),
    isToldByEvent: (cookieHeader: string | undefined) => isToldByEvent(destinations, cookieHeader),
    withhold: (choice: Withdrawal) => withholdEvents(db, siteUrl.startsWith('https:'), choice),
    rememberSignUp: (cookieHeader: string | undefined, email: string) =>
      rememberSignUp({ db, destinations }, cookieHeader, email),
    registerPublic: (scope: FastifyInstance, ports: Pick<EventDeps, 'guard' | 'onStored'>): void =>
      registerEvents(scope, { ...ports, db, siteUrl, destinations }),
  }
}
