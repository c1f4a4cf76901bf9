#!/usr/bin/env node
// A registry that takes an image and then ends: `registry-that-dies.mjs serve <config>`.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [, host, port] = /addr: ([\d.]+):(\d+)/.exec(readFileSync(process.argv[3], 'utf8')) ?? [];
createServer((request, response) => {
  request.resume().on('end', () => {
    if (request.method === 'GET') return void response.writeHead(200).end();
    const isManifest = request.url.includes('/manifests/');
    response.writeHead(request.method === 'POST' ? 202 : 201, { location: '/v2/upload' }).end();
    if (isManifest)
      response.on('close', () => {
        process.stderr.write('no space left on device\n');
        process.exit(1);
      });
  });
}).listen(Number(port), host);
