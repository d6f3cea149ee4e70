import { parseValue } from './column-values.ts'
import { badJson, unknownWriteColumn } from './protocol-errors.ts'
import type { Column, Resource, Row } from './resource.ts'

interface InputOptions {
  /** The `columns` parameter: what is taken from each object, whatever else it holds. */
  columns: readonly string[] | null
  missingDefault: boolean
}

/** Reads a body into rows of typed values, each holding what the client set and nothing else. */
export function readInputs(resource: Resource, body: unknown, options: InputOptions): Row[] {
  const objects = toObjects(body)
  const first = objects[0]
  if (first === undefined) return []
  const names = options.columns ?? sharedKeys(objects, Object.keys(first))
  const columns = names.map((name) => findWritable(resource, name))
  return objects.map((object) => readObject(object, columns, options.missingDefault))
}

function toObjects(body: unknown): Record<string, unknown>[] {
  const list = Array.isArray(body) ? body : [body]
  for (const item of list) {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) throw badJson()
  }
  return list
}

/** Without `columns`, one set of keys names the columns of the whole insert. */
function sharedKeys(objects: readonly Record<string, unknown>[], keys: string[]): string[] {
  for (const object of objects) {
    if (Object.keys(object).length !== keys.length || !keys.every((key) => Object.hasOwn(object, key))) {
      throw badJson('All object keys must match')
    }
  }
  return keys
}

function findWritable(resource: Resource, name: string): Column {
  const column = resource.columns.find((candidate) => candidate.name === name)
  if (column === undefined) throw unknownWriteColumn(resource.name, name)
  return column
}

function readObject(object: Record<string, unknown>, columns: Column[], missingDefault: boolean): Row {
  const row: Row = {}
  for (const { name, type, write } of columns) {
    if (write === 'maintained') continue
    const value = Object.hasOwn(object, name) ? object[name] : undefined
    if (value === undefined && missingDefault) continue
    row[name] = value === undefined || value === null ? null : parseValue(type, value)
  }
  return row
}
