import type { Db } from '../../db/database.ts'

/** Two processes that start at once agree: the first to write wins and both read the same. */
export async function readOrMakeSecret(
  db: Db,
  name: string,
  make: () => Promise<string> | string,
): Promise<string> {
  const known = await readSecret(db, name)
  if (known !== null) return known
  await db
    .insertInto('app_secrets')
    .values({ name, value: await make(), created_at: new Date().toISOString() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const value = await readSecret(db, name)
  if (value === null) throw new Error(`the secret ${name} could not be kept`)
  return value
}

export async function readSecret(db: Db, name: string): Promise<string | null> {
  const row = await db.selectFrom('app_secrets').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}

export async function replaceSecret(db: Db, name: string, value: string): Promise<void> {
  await db
    .insertInto('app_secrets')
    .values({ name, value, created_at: new Date().toISOString() })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({
        value: eb.ref('excluded.value'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
    .execute()
}
