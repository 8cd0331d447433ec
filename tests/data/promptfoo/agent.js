const fs = require('fs');
const path = require('path');

// Answers from a recording, by the id variable.
module.exports = class {
  constructor(options) {
    this.label = options.label;
    this.failing = options.config.failing;
    const file = path.join(__dirname, options.config.recording);
    this.replies = new Map(
      fs.readFileSync(file, 'utf8').trim().split('\n').map(JSON.parse).map((r) => [r.id, r.output]),
    );
  }
  id() {
    return this.label;
  }
  async callApi(prompt, context) {
    if (context.vars.id === this.failing) {
      return { error: 'no connection' };
    }
    return { output: this.replies.get(context.vars.id) };
  }
};
