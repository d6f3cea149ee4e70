import pg from 'pg'

/** One statement on a connection of its own, as the owner. */
export async function askPostgres(
  host: string,
  database: string,
  statement: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ host, user: 'postgres', database })
  // A server that stops ends the connection: the statement fails then, and without a listener so does the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
