import { inBody } from './hear.ts'
import { inline, keepsCalls, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Asks one host for its settings and records to another. */
export const fullstory: StandIn = {
  vendor: 'fullstory',
  account: 'o-PRT1C0-na1',
  snippet: (account) =>
    inline(
      "window['_fs_host'] = 'fullstory.com';",
      "window['_fs_script'] = 'edge.fullstory.com/s/fs.js';",
      `window['_fs_org'] = '${account}';`,
      "window['_fs_namespace'] = 'FS';",
      keepsCalls('FS'),
      loads("'https://' + window['_fs_script']"),
    ),
  answers: {
    'edge.fullstory.com/s/fs.js': {
      script: `
        function record(name) { return post('https://rs.fullstory.com/rec/page', { Name: name, OrgId: _fs_org }) }
        leave()
        fetch('https://edge.fullstory.com/s/settings/' + _fs_org + '/v1/web')
          .then(function () { return record('page') })
          .catch(function () {})
        answerCalls('FS', function (what, values) { if (what === 'trackEvent') record(values.name) })`,
    },
    'edge.fullstory.com/s/settings/*': { json: {} },
    'rs.fullstory.com/rec/page': { json: {} },
  },
  hear: inBody('rs.fullstory.com/rec/page', 'Name', 'OrgId'),
  pageView: 'page',
  leaves: { cookies: ['fs_uid', 'fs_lua'] },
  needs: 'rs.fullstory.com',
}
