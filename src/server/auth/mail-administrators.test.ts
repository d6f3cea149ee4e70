import { describe, expect, test } from 'vitest'
import { ENGINES, makeDatabase } from '#tests/support/engines.ts'
import { parseConfig } from '../config.ts'
import { countHit } from '../http/limits/counter.ts'
import { MailQueue, mailAdministrators } from './account-mail.ts'
import { insertUser } from './accounts/users.ts'

const NEWS = { kind: 'news', subject: 'Assunto', paragraphs: ['Texto.'], path: '/admin', label: 'Abrir' }
const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

describe.each(ENGINES)('mail to administrators, on %s', (engine) => {
  test('reaches everybody with access, whoever else is banned, deleted or over their limit', async () => {
    const database = await makeDatabase(engine)
    const { db } = database
    const add = async (name: string, columns: { banned_until?: string; deleted_at?: string } = {}) => {
      const email = `${name}@exemplo.com.br`
      const user = await insertUser(db, { email, passwordHash: null, confirmed: true })
      const id = user?.id ?? ''
      await db
        .insertInto('admin_roles')
        .values({ user_id: id, role: 'admin', created_at: at(0), updated_at: at(0) })
        .execute()
      if (Object.keys(columns).length > 0)
        await db.updateTable('auth_users').set(columns).where('id', '=', id).execute()
      return id
    }
    const flooded = await add('ana')
    await add('bia')
    await add('banida', { banned_until: at(1) })
    await add('excluida', { deleted_at: at(-1) })
    await add('voltou', { banned_until: at(-1) })
    await insertUser(db, { email: 'sem-papel@exemplo.com.br', passwordHash: null, confirmed: true })
    for (let n = 0; n < 30; n++) await countHit(db, `mail:account:notice:${flooded}`, 3_600_000)
    const sent: string[] = []
    const errors: unknown[] = []
    const log = { warn: () => {}, error: (fields: unknown) => void errors.push(fields) }
    const mail = new MailQueue({ send: async ({ to }) => void sent.push(to), log })
    mailAdministrators({ db, config: parseConfig({}), mail }, NEWS)
    await mail.close()
    expect(sent.sort()).toEqual(['bia@exemplo.com.br', 'voltou@exemplo.com.br'])
    // The one who was over their limit is in the log.
    expect(errors).toHaveLength(1)
    await database.close()
  })
})
