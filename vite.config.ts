import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { copyForLazyParts } from './scripts/copy-for-lazy-parts.ts'
import { guide } from './scripts/guide.ts'
import { lightPreload } from './scripts/light-preload.ts'
import { minifyAgain } from './scripts/minify-again.ts'

/** What browsers load: the page's boot script, style and islands, and the dashboard. `scripts/build.ts` adds the server's bundle. */
export default defineConfig({
  plugins: [react(), tailwindcss(), lightPreload(), minifyAgain(), copyForLazyParts(), guide()],
  // wouter's shim for a hook that React has.
  resolve: { alias: { 'use-sync-external-store/shim/index.js': 'react' } },
  publicDir: false,
  // React's hooks for developer tools, servers and document history, which are unused here.
  define: {
    __REACT_DEVTOOLS_GLOBAL_HOOK__: 'undefined',
    navigation: 'undefined',
    process: 'undefined',
    setImmediate: 'undefined',
  },
  appType: 'custom',
  build: {
    outDir: 'dist/client',
    manifest: true,
    modulePreload: false,
    target: 'es2022',
    assetsInlineLimit: 0,
    rolldownOptions: {
      // How long the second minifier takes is known, and no warning.
      checks: { bundlerTimings: false },
      input: {
        boot: 'src/landing/browser/boot/boot.ts',
        landing: 'src/landing/styles/landing-page.css',
        later: 'src/landing/styles/later.css',
        content: 'src/landing/styles/content.css',
        plain: 'src/landing/styles/plain-pages.css',
        admin: 'src/admin/main.tsx',
      },
      output: {
        // What page and dashboard share is one file: three would be larger together, and two more requests.
        codeSplitting: {
          groups: [
            { name: 'shared', test: /node_modules\/(react|react-dom|scheduler)\/|contract\/email\.ts/ },
            // What the list needs is one file as well: it compresses better than eight.
            { name: 'core', tags: ['$initial'], test: /src\/admin\/.*\.tsx?$|node_modules\// },
            // The rest by when it is needed: beside the list, to renew a session, to sign in, for any other screen. The
            // guide and what only a new installation shows are on their own.
            {
              name: 'today',
              test: /src\/admin\/features\/(overview\/(?!first-steps)|settings\/settings-screen)/,
            },
            { name: 'auth', test: /src\/admin\/lib\/auth-client\.ts/ },
            { name: 'forms', test: /src\/admin\/(components\/(form|modal)\.tsx|features\/session\/)/ },
            {
              name: 'screens',
              test: /src\/admin\/features\/(?!help\/|outcomes\/|overview\/first-steps|account\/password-offer|settings\/chat-form)/,
            },
          ],
        },
      },
    },
  },
})
