import type { Db } from '#server/db/database.ts'
import type { Logger } from '#server/http/logger.ts'
import type { TagStore } from '../tag-store.ts'
import { BreakerBuffer, type Failing } from './breaker-buffer.ts'
import { describeTrip } from './describe-trip.ts'
import { tripBreaker } from './trip-breaker.ts'

/** News for everybody who looks after the site. */
export interface AdministratorNews {
  kind: string
  subject: string
  paragraphs: string[]
  /** Of the dashboard. */
  path: string
  label: string
}

export interface BreakerDeps {
  db: Db
  log: Logger
  tags: TagStore
  mailAdministrators: (news: AdministratorNews) => void
  flushMs?: number
}

/** Watches the visits of every tag; when it pauses one, the page is without it before anybody is told. */
export function createBreaker({ db, log, tags, mailAdministrators, flushMs }: BreakerDeps): BreakerBuffer {
  const onFailing = async (failing: Failing) => {
    // What was seen of an older revision says nothing about the tag as it is.
    if (tags.prepared.get(failing.pixelId)?.revision !== failing.revision) return
    const trip = await tripBreaker(db, failing)
    if (trip === null) return
    const { pixelId, reason } = failing
    log.warn({ pixel: pixelId, state: trip.state, reason }, 'too many visits speak against a tag')
    if (trip.version === null) return
    tags.noteChange(await trip.version, [pixelId])
    // It is paused whatever happens here: every process looks at the version again within a second.
    await tags
      .refresh()
      .catch((error) => log.warn({ err: error }, 'a paused tag is still on the page for a moment'))
    mailAdministrators(newsOf(trip.name, failing))
  }
  return new BreakerBuffer({ db, log, onFailing, flushMs })
}

function newsOf(name: string, failing: Failing): AdministratorNews {
  const isSlow = failing.reason === 'slow'
  return {
    kind: 'tag-paused',
    subject: `A tag "${name.slice(0, 80)}" foi pausada`,
    paragraphs: [
      `${describeTrip('Ela', failing)}, e o disjuntor dela está ligado. A página já está sem ela; o pixel continua ativo no painel, com a saúde "Pausado".`,
      `${isSlow ? 'Veja o custo dela na página do pixel, fale com a plataforma ou troque o código, e use "Religar".' : 'Veja o erro, corrija o código e use "Religar".'} Os avisos vêm dos navegadores das visitas e podem ser forjados: se a tag está boa, religue.`,
    ],
    path: `/admin/pixels/${failing.pixelId}`,
    label: 'Ver o pixel',
  }
}
