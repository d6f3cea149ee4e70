import type { Dialect } from 'kysely'

/**
 * After an error inside a transaction Kysely rolls back, and throws what the rollback throws instead of the error. A
 * rollback fails where there is nothing left to roll back: SQLite has done it by itself (a full disk), or the connection
 * is gone. What broke the transaction is then the only thing worth knowing.
 */
export function keepCause(dialect: Dialect): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => {
      const driver = dialect.createDriver()
      const rollback = driver.rollbackTransaction.bind(driver)
      driver.rollbackTransaction = (connection) => rollback(connection).catch(() => {})
      return driver
    },
  }
}
