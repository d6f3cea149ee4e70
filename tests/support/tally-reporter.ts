import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const REASON_LINES = 12

export interface Tally {
  passed: number
  /** What failed and why, printed again at the end: a long log is often read from there. */
  failures: string[]
}

/** Writes the tally of a run to a file, with errors that no test caught. */
export function tallyReporter(file: string): Reporter {
  return {
    onTestRunEnd(modules, unhandled) {
      const tally: Tally = {
        passed: modules.reduce((sum, module) => sum + [...module.children.allTests('passed')].length, 0),
        failures: [...modules.flatMap(nameFailures), ...unhandled.map(nameUnhandled)],
      }
      writeFileSync(file, JSON.stringify(tally))
    },
  }
}

/** Its failed tests, and the file itself if it failed outside of them. */
function nameFailures(module: TestModule): string[] {
  const file = relative('.', module.moduleId)
  const tests = [...module.children.allTests('failed')].map((test) => nameTest(file, test))
  const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0)
  const hooks = suites.map(({ fullName }) => `${file} › ${fullName} (hook)`)
  const outside = module.errors().map(({ message }) => `${file}: ${message}`)
  return [...tests, ...hooks, ...outside]
}

function nameTest(file: string, test: TestCase): string {
  const { duration = 0 } = test.diagnostic() ?? {}
  const name = `${file} › ${test.fullName} (${Math.round(duration / 1000)} s)`
  const reasons = (test.result().errors ?? []).map(({ message }) => indent(message))
  return [name, ...reasons].join('\n')
}

/** The first lines of a message. The rest is a difference or a page, further up in the log. */
function indent(message: string): string {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, REASON_LINES)
  return lines.map((line) => `    ${line}`).join('\n')
}

function nameUnhandled(error: SerializedError): string {
  const { VITEST_TEST_PATH: file, VITEST_TEST_NAME: test } = error
  const seenIn = typeof file === 'string' && [relative('.', file), test].filter(Boolean).join(' › ')
  const frame = error.stacks?.[0] ?? error.stack?.split('\n').find((line) => line.trim().startsWith('at '))
  const place = typeof frame === 'object' ? `${relative('.', frame.file)}:${frame.line}` : frame?.trim()
  return [`unhandled ${error.name ?? 'error'}: ${error.message}`, place, seenIn && `during ${seenIn}`]
    .filter(Boolean)
    .join(', ')
}
