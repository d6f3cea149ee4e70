import {
  FRAME_REPORT_MAX_LENGTH,
  type FrameMessage,
  type FrameReport,
  JAR_MAX_LENGTH,
} from '#contract/isolated-frame.ts'
import { TAG_COST_MAX } from '#contract/tag-cost.ts'
import {
  HIT_VERDICTS,
  TAG_ERROR_MAX_LENGTH,
  TAG_OUTCOMES,
  TAG_REPORT_MAX_STOPPED,
  TAG_VERDICTS,
} from '#contract/tag-report.ts'

/**
 * Null for anything but exactly one of the formats: the tag itself could have sent it. Nothing is kept by reference.
 */
export function readFrameMessage(data: unknown): FrameMessage | null {
  if (!isRecord(data)) return null
  const { portico, id } = data
  if (portico === 'told' || portico === 'heard') return isText(id, 36) ? { portico, id } : null
  if (data.portico === 'jar') {
    const { local, session } = isRecord(data.jar) ? data.jar : {}
    if (!isText(local, JAR_MAX_LENGTH) || !isText(session, JAR_MAX_LENGTH)) return null
    return { portico: 'jar', jar: { local, session } }
  }
  const report = data.portico === 'report' ? readReport(data.report) : null
  return report === null ? null : { portico: 'report', report }
}

function readReport(data: unknown): FrameReport | null {
  if (!isRecord(data) || !isRecord(data.result) || !Array.isArray(data.stopped)) return null
  const { outcome, error, hit, ms, requests } = data.result
  const { hosts = {}, stopped, sees_all, isFinal } = data
  if (!isOneOf(outcome, TAG_OUTCOMES) || !isRecord(hosts) || stopped.length > TAG_REPORT_MAX_STOPPED)
    return null
  const report: FrameReport = {
    result: {
      id: '',
      outcome,
      error: isText(error, TAG_ERROR_MAX_LENGTH) ? error : undefined,
      hit: isOneOf(hit, HIT_VERDICTS) ? hit : undefined,
      ...(isCount(ms) && isCount(requests) ? { ms, requests } : {}),
    },
    hosts: Object.fromEntries(
      Object.entries(hosts).flatMap(([host, verdict]) =>
        isOneOf(verdict, TAG_VERDICTS) && isText(host, 253) ? [[host, verdict] as const] : [],
      ),
    ),
    stopped: stopped.flatMap((each) =>
      isRecord(each) && isText(each.host, 253) && isText(each.directive, 32)
        ? [{ host: each.host, directive: each.directive }]
        : [],
    ),
    sees_all: sees_all === true,
    isFinal: isFinal === true,
  }
  return JSON.stringify(report).length > FRAME_REPORT_MAX_LENGTH ? null : report
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object'
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength
}

function isOneOf<Word extends string>(value: unknown, words: readonly Word[]): value is Word {
  return (words as readonly unknown[]).includes(value)
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= TAG_COST_MAX
}
