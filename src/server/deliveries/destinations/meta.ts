import type { Channel, Job, Request, Target } from '../job.ts'
import { composeMetaEvent } from './compose-meta-event.ts'
import { readMetaAnswer } from './read-meta-answer.ts'

const GRAPH = 'https://graph.facebook.com'

/** Meta's Conversions API. Its own merging of copies with one `event_id` makes a second try harmless. */
export const metaChannel: Channel = {
  batch: 50,
  parallel: 2,
  atMostOnce: false,
  async send(client, target, jobs, signal) {
    const { url, headers, body } = composeMetaRequest(target, jobs)
    const answer = await client.post(url, headers, JSON.stringify(body), signal)
    return answer.kind === 'interrupted' ? { kind: 'interrupted' } : readMetaAnswer(answer, jobs.length)
  },
}

/** The token travels in a header: addresses end up in logs. */
export function composeMetaRequest(
  { account, secret, siteUrl, graphVersion, sendsEmail }: Target,
  jobs: readonly Job[],
  testCode?: string,
): Request {
  return {
    url: `${GRAPH}/${graphVersion}/${account}/events`,
    headers: { authorization: `Bearer ${secret}` },
    body: {
      data: jobs.map((job) => composeMetaEvent(job, siteUrl, sendsEmail)),
      ...(testCode === undefined ? {} : { test_event_code: testCode }),
    },
  }
}
