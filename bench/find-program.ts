import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Path of a program, or null. Debian keeps servers in a folder that is only in root's path. */
export function findProgram(name: string): string | null {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return directories.map((directory) => join(directory, name)).find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
